// Marks the mirror of a library that is no longer configured as retired.
#pragma once

#include "base/result.hpp"

#include <string>

namespace shelfd::mirror {

// Marks all tables of this file as `retired` until they are declared again. Nobody else may have it open for writing.
// Returns false, without writing, if they already were or it is not a mirror of ours.
Result<bool> retire_mirror(const std::string& file);

}  // namespace shelfd::mirror
