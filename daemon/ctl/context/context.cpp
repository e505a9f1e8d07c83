#include "ctl/context/context.hpp"

namespace shelfd::ctl {

ExitCode fail(const Context& context, const Error& error)
{
    context.terminal.complain(error.text());
    return exit_code_of(error);
}

ExitCode fail_without_daemon(const Context& context, const Error& error)
{
    context.terminal.complain(error.text());
    switch (error.kind()) {
    case ErrorKind::permission: return ExitCode::permission;
    case ErrorKind::busy: return ExitCode::busy;  // the daemon runs, but has no connection free
    default: return ExitCode::no_daemon;
    }
}

}  // namespace shelfd::ctl
