// Runs the program of a hook: no thread waits for it, and nothing is left of it when its time is over.
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

// Standard output goes nowhere; an error ends with the first line of what it wrote to standard error. Errors: config,
// when it cannot be started; refused, when it does not exit with 0; timeout, when it takes too long: then it is killed,
// with the children that stayed in its process group, as it is when the coroutine is cancelled. `lane` starts it.
asio::awaitable<Result<void>> run_hook_program(Clock& clock, Lane lane, HookProgram program);

}  // namespace shelfd::app
