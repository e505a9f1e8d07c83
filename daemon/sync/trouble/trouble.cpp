#include "sync/trouble/trouble.hpp"

#include <cstdlib>

namespace shelfd::sync {

const char* to_string(Trouble trouble)
{
    switch (trouble) {
    case Trouble::none: return "none";
    case Trouble::passing: return "passing";
    case Trouble::forbidden: return "forbidden";
    case Trouble::needs_person: return "needs_person";
    case Trouble::wrong_library: return "wrong_library";
    case Trouble::storage: return "storage";
    }
    std::abort();
}

Trouble trouble_of(const Error& error)
{
    switch (error.kind()) {
    case ErrorKind::needs_person:
    case ErrorKind::config:
    case ErrorKind::usage: return Trouble::needs_person;
    case ErrorKind::storage:
    case ErrorKind::permission:
    case ErrorKind::corrupt:
    case ErrorKind::busy: return Trouble::storage;
    case ErrorKind::refused: return Trouble::forbidden;
    default: return Trouble::passing;
    }
}

}  // namespace shelfd::sync
