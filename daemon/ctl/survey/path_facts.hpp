// Looks at names in the file system, without opening a file.
#pragma once

#include "ctl/survey/facts.hpp"

#include <string>
#include <vector>

namespace shelfd::ctl {

// Never fails: what cannot be examined is `hidden`, with the reason.
PathFacts look_at(const std::string& path);
// The same for what the path leads to, under the name `path`.
PathFacts look_behind(const std::string& path);
// What the directory contains, by name; empty if it cannot be read, and then `directory.kind` becomes `hidden`.
std::vector<PathFacts> look_into(PathFacts& directory);
// The directories above it, from / on.
std::vector<PathFacts> look_above(const std::string& path);
DiskFacts look_at_disk(const std::string& path, bool unsafe_is_allowed);

// The last part of the path.
std::string base_name(const PathFacts& facts);

}  // namespace shelfd::ctl
