#include "sync/trouble/blocked.hpp"

namespace shelfd::sync {

mirror::Blocked blocked_of(Trouble trouble)
{
    switch (trouble) {
    case Trouble::forbidden: return mirror::Blocked::forbidden;
    case Trouble::needs_person: return mirror::Blocked::needs_person;
    case Trouble::wrong_library: return mirror::Blocked::wrong_library;
    case Trouble::none:
    case Trouble::passing:
    case Trouble::storage: break;
    }
    return mirror::Blocked::none;
}

}  // namespace shelfd::sync
