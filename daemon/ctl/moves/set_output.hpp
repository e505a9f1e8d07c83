// Token sets on standard output: asked for only if they will be kept there, and named if they were not.
#pragma once

#include "ctl/context/context.hpp"
#include "ctl/daemon/client.hpp"

#include <csignal>
#include <string>

namespace shelfd::ctl {

// For its lifetime a reader that goes away is a failed write, which can be explained, not the end of the process.
class BrokenPipeAsError {
public:
    BrokenPipeAsError() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
    BrokenPipeAsError(const BrokenPipeAsError&) = delete;
    BrokenPipeAsError& operator=(const BrokenPipeAsError&) = delete;
    ~BrokenPipeAsError() { std::signal(SIGPIPE, before_); }

private:
    void (*before_)(int);
};

// The command that prints the sets of `what` (a library, or --all) again: with the same destination.
std::string move_out_again(const Context& context, const std::string& what);

// Fails if standard output does not keep what will be printed: a set that is printed is no longer used here. `file` is
// for the sentence.
Result<void> check_set_output(const Context& context, const std::string& what, const std::string& file);

// Marks the set as moved, and returns it.
Result<DaemonClient::Answer> ask_for_set(const Context& context, const std::string& library);

// Prints and wipes it. False if it could not be written.
bool print_set(const Context& context, DaemonClient::Answer& answer);

// Says what to type for a set that is marked and was not printed.
ExitCode fail_unprinted(const Context& context, const std::string& library, const std::string& what);

}  // namespace shelfd::ctl
