#include "ctl/line/exit_code.hpp"

namespace shelfd::ctl {

ExitCode exit_code_of(const Error& error)
{
    switch (error.kind()) {
    case ErrorKind::usage:
    case ErrorKind::not_found: return ExitCode::usage;
    case ErrorKind::config: return ExitCode::config;
    case ErrorKind::permission: return ExitCode::permission;
    case ErrorKind::needs_person: return ExitCode::needs_person;
    case ErrorKind::busy:
    case ErrorKind::timeout:
    case ErrorKind::throttled:
    case ErrorKind::stopped: return ExitCode::busy;
    case ErrorKind::storage: return ExitCode::storage;
    case ErrorKind::corrupt:
    case ErrorKind::network:
    case ErrorKind::protocol:
    case ErrorKind::refused: return ExitCode::failed;
    }
    std::abort();
}

}  // namespace shelfd::ctl
