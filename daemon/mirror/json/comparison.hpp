// Compares two texts of one item member by member: as JSON, numbers by their text, instants as times.
#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace shelfd::mirror {

struct Difference {
    std::string key;     // JSON, in quotes
    std::string ours;    // JSON text
    std::string theirs;  // "" if the member is missing
};

// Returns each member of `ours` that differs in `theirs` or is missing there. Members that only `theirs` has do not
// count: an item's own address has more members than its list. Errors: protocol, if one text is not a JSON object.
Result<std::vector<Difference>> compare_items(std::string_view ours, std::string_view theirs);

}  // namespace shelfd::mirror
