// Where log records go, and in which form.
#pragma once

#include "runtime/log/log.hpp"

namespace shelfd {

// Lines on `descriptor`. None of these ever waits for a reader; see LogQueue.
Log::Sink text_sink(int descriptor);
Log::Sink json_sink(int descriptor);
// Native fields, to the socket at `path`.
Log::Sink journal_sink(const std::string& path);

}  // namespace shelfd
