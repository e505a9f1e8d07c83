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

bool shows(TableState state, Trouble trouble)
{
    switch (trouble) {
    case Trouble::forbidden: return state == TableState::forbidden;
    case Trouble::needs_person: return state == TableState::needs_person;
    case Trouble::wrong_library: return state == TableState::wrong_library;
    case Trouble::none:
    case Trouble::passing:
    case Trouble::storage: break;
    }
    return false;
}

bool is_blocked(TableState state)
{
    return shows(state, Trouble::forbidden) || shows(state, Trouble::needs_person) ||
           shows(state, Trouble::wrong_library);
}

}  // namespace shelfd::sync
