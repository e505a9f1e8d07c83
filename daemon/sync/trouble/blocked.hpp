// The trouble of a resource as the mirror shows it to readers.
#pragma once

#include "mirror/mirror.hpp"
#include "sync/trouble/trouble.hpp"

namespace shelfd::sync {

// What blocks the table until somebody acts; none for trouble that passes by itself.
mirror::Blocked blocked_of(Trouble trouble);
// True if a person has to act before the table advances.
bool is_blocked(TableState state);
// True if this state is how readers see this trouble.
bool shows(TableState state, Trouble trouble);

}  // namespace shelfd::sync
