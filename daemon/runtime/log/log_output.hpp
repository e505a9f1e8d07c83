// The destination of a log, replaceable while it is in use.
#pragma once

#include "runtime/log/log.hpp"

#include <mutex>
#include <vector>

namespace shelfd {

// Any thread. Writers never wait for a reader: lines that the reader does not take wait in a queue; when it is full,
// new lines are dropped and counted.
class LogOutput {
public:
    // `descriptor`, standard error by default, is used by text and json.
    explicit LogOutput(LogFormat format, int descriptor = 2);

    void write(const LogRecord& record);
    // Takes effect immediately, on every log that writes here.
    void set_format(LogFormat format);

private:
    Log::Sink sink_for(LogFormat format) const;

    const int descriptor_;
    std::mutex mutex_;
    Log::Sink sink_;
    std::vector<Log::Sink> former_;  // may still hold unread lines; destroying one may take a second
};

}  // namespace shelfd
