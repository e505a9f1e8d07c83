// shelfd under strace(1): which system calls it makes, and the means to disturb each of them.
#pragma once

#include "base/instant.hpp"
#include "support/process.hpp"

#include <optional>
#include <string>
#include <vector>

namespace shelfd {

struct SystemCall {
    std::string name;
    std::size_t number = 0;  // among the calls of this name, from 1: what strace's when= counts
    std::string text;        // "pwrite64(9, \"shelfdTJ\1\0\2…\", 8192, 0) = 8192"
};

struct TracedRun {
    ExitStatus status;
    std::vector<SystemCall> calls;

    // The first call from `from` on whose text begins with `name` and has `part` in it; nothing when there is none.
    std::optional<std::size_t> find(const std::string& name, const std::string& part = "", std::size_t from = 0) const;
};

// Why no process can be traced here; "" = it can.
std::string why_no_tracing();

// The line that traces, and what goes before the program's own: single-threaded programs only, since strace counts for
// each thread. `injection` is one of strace's: "fdatasync:signal=KILL:when=3"; "" disturbs nothing.
std::vector<std::string> tracing_line(const std::string& trace_file, const std::string& injection);
std::vector<SystemCall> read_trace(const std::string& trace_file);
// The line that makes each write to these files, and each sync, take that much longer. The tracer is a process beside
// the program, which stays the one that was started.
std::vector<std::string> slowing_line(const std::vector<std::string>& files, Duration delay);

}  // namespace shelfd
