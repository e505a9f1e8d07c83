// Runs the program of a hook: no thread waits for it, and no process remains after its timeout.
#pragma once

#include "base/result.hpp"
#include "runtime/async/clock.hpp"
#include "runtime/async/worker_pool.hpp"

#include <string>
#include <vector>

namespace shelfd::app {

struct HookProgram {
    std::vector<std::string> command;
    std::vector<std::string> environment;  // "NAME=value"
    std::string input;                     // its standard input
    Duration timeout{};
};

// Standard output is discarded; an error ends with the first line of what it wrote to standard error. Errors: config,
// if it cannot be started; refused, if it does not exit with 0; timeout, if it takes too long: then it is killed,
// with the children in its process group, as on cancellation of the coroutine. `lane` starts it.
asio::awaitable<Result<void>> run_hook_program(Clock& clock, Lane lane, HookProgram program);

}  // namespace shelfd::app
