#include "app/exit_code.hpp"

namespace shelfd::app {

ExitCode exit_code_of(const Error& error)
{
    switch (error.kind()) {
    case ErrorKind::usage: return ExitCode::usage;
    case ErrorKind::config: return ExitCode::config;
    case ErrorKind::permission: return ExitCode::permission;
    case ErrorKind::busy: return ExitCode::busy;
    case ErrorKind::storage:
    case ErrorKind::corrupt: return ExitCode::storage;
    default: return ExitCode::bug;
    }
}

}  // namespace shelfd::app
