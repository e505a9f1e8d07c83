// The trouble of a resource as the mirror shows it to readers.
#pragma once

#include "mirror/mirror.hpp"
#include "sync/trouble/trouble.hpp"

namespace shelfd::sync {

// What keeps the table from moving until somebody acts; none for what passes by itself.
mirror::Blocked blocked_of(Trouble trouble);
// A person has to act before the table goes on.
bool is_blocked(TableState state);
// Readers are shown this trouble.
bool shows(TableState state, Trouble trouble);

}  // namespace shelfd::sync
