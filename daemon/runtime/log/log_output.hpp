// Where a log goes, exchangeable while it is written to.
#pragma once

#include "runtime/log/log.hpp"

#include <mutex>
#include <vector>

namespace shelfd {

// Any thread. Nobody who writes waits for a reader: lines that are not taken wait in a queue, and when that is full
// they are lost and counted.
class LogOutput {
public:
    // `descriptor`, standard error if not said, is for text and json.
    explicit LogOutput(LogFormat format, int descriptor = 2);

    void write(const LogRecord& record);
    // Takes effect at once, on every log that writes here.
    void set_format(LogFormat format);

private:
    Log::Sink sink_for(LogFormat format) const;

    const int descriptor_;
    std::mutex mutex_;
    Log::Sink sink_;
    std::vector<Log::Sink> former_;  // may still hold lines that nobody took; their end may take a second each
};

}  // namespace shelfd
