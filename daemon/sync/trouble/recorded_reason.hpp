// Reads the cause of trouble from the sentence that an earlier process recorded in the mirror.
#pragma once

#include "sync/trouble/trouble.hpp"

#include <string_view>

namespace shelfd::sync {

// The mirror keeps only the sentence; within a process the cause is a value, see TableTrouble. Returns identity, scope,
// or service for any other sentence.
TroubleSource source_of_recorded(std::string_view why);

}  // namespace shelfd::sync
