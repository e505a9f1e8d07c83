// The mirror of a library that does not run: whether it ever had rows, and the mark that its tables are retired.
#pragma once

#include "base/result.hpp"

#include <string>

namespace shelfd::mirror {

// Marks all tables of this file as `retired` until they are declared again. Nobody else may have it open for writing.
// Returns false, without writing, if they already were or it is not a mirror of ours.
Result<bool> retire_mirror(const std::string& file);

// True if a table of this mirror ever had a published pass. False for a file that is not a mirror of ours.
Result<bool> has_published(const std::string& file);

}  // namespace shelfd::mirror
