// From [log] to the log.
#pragma once

#include "config/model.hpp"
#include "runtime/log.hpp"

namespace shelfd::app {

// `journal_stream` is the value of $JOURNAL_STREAM, or nullptr.
Log open_log(const config::Logging& settings, const char* journal_stream);

LogLevel log_level_of(const config::Logging& settings);

}  // namespace shelfd::app
