#include "ctl/context/context.hpp"

#include "base/words/named_command.hpp"
#include "ctl/context/ending_signals.hpp"

#include <fmt/core.h>

#include <cerrno>

namespace shelfd::ctl {
namespace {

// After an interruption, errors are its consequences: the verb that was interrupted says so.
void complain(const Context& context, const Error& error)
{
    if (!was_interrupted()) {
        context.terminal.complain(error.text());
    }
}

}  // namespace

ExitCode fail(const Context& context, const Error& error)
{
    complain(context, error);
    return exit_code_of(error);
}

ExitCode fail_to_write(const Context& context, const Error& error, const std::string& command)
{
    const auto* next = error.system_errno == ENOSPC ? "make room on its disk, then" : "name a file that you may write";
    return fail(context, names_command(error.text())
                             ? error
                             : Error(error.kind(), fmt::format("{}; {}: {}", error.text(), next, command)));
}

ExitCode fail_without_daemon(const Context& context, const Error& error)
{
    complain(context, error);
    switch (error.kind()) {
    case ErrorKind::permission: return ExitCode::permission;
    case ErrorKind::busy:     // the daemon runs, but has no connection free
    case ErrorKind::timeout:  // it runs, but says nothing
        return ExitCode::busy;
    default: return ExitCode::no_daemon;
    }
}

}  // namespace shelfd::ctl
