// From [log] to the log.
#pragma once

#include "config/model/model.hpp"
#include "runtime/log/log_output.hpp"

#include <memory>
#include <string>
#include <vector>

namespace shelfd::app {

// The log, and where it goes: the first is handed around, the second can be changed by a reload.
struct DaemonLog {
    Log log;
    std::shared_ptr<LogOutput> output;
};

// `journal_stream` is the value of $JOURNAL_STREAM, "" = none. Where no journal listens, "journal" becomes text, and
// the first line says so.
DaemonLog open_log(const config::Logging& settings, const std::string& journal_stream);

// Makes `log` what `next` says, and returns a line for each thing that changes by it.
std::vector<std::string> change_log(DaemonLog& log, const config::Logging& now, const config::Logging& next,
                                    const std::string& journal_stream);

}  // namespace shelfd::app
