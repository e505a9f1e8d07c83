// Sinks for log records, one for each format.
#pragma once

#include "runtime/log/log.hpp"

namespace shelfd {

// Write lines to `descriptor`. No sink waits for a reader; see LogQueue.
Log::Sink text_sink(int descriptor);
Log::Sink json_sink(int descriptor);
// Sends native fields to the socket at `path`.
Log::Sink journal_sink(const std::string& path);

}  // namespace shelfd
