// The mirror of a library that is out of the configuration says so itself.
#pragma once

#include "base/result.hpp"

#include <string>

namespace shelfd::mirror {

// All tables of this file are `retired` from now on, until they are declared again. Nobody else may have it open to
// write. False: they were already, or it is none of our mirrors; then it stays untouched.
Result<bool> retire_mirror(const std::string& file);

}  // namespace shelfd::mirror
