#include "app/host/exit_code.hpp"

namespace shelfd::app {

ExitCode exit_code_of(const Error& error)
{
    switch (error.kind()) {
    // An unusable file (made by a newer shelfd, or no mirror at all), which no restart cures, nor anything for which a
    // person is needed. 64 is for the command line, which was read before.
    case ErrorKind::usage:
    case ErrorKind::needs_person:
    case ErrorKind::config: return ExitCode::config;
    case ErrorKind::permission: return ExitCode::permission;
    case ErrorKind::busy: return ExitCode::busy;
    case ErrorKind::network:  // libcurl could not start: no memory
    case ErrorKind::storage:
    case ErrorKind::corrupt: return ExitCode::storage;
    default: return ExitCode::bug;
    }
}

bool may_restart_cure(const Error& error)
{
    return error.kind() != ErrorKind::usage && error.kind() != ErrorKind::needs_person &&
           error.kind() != ErrorKind::protocol;
}

bool is_of_one_library(const Error& error)
{
    return error.kind() != ErrorKind::config && error.kind() != ErrorKind::busy;
}

}  // namespace shelfd::app
