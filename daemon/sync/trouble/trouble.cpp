#include "sync/trouble/trouble.hpp"

namespace shelfd::sync {

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
