// Two texts of one item, member by member: equal as JSON, numbers by their text, instants by the instant.
#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace shelfd::mirror {

struct Difference {
    std::string key;     // as JSON, in quotes
    std::string ours;    // JSON text
    std::string theirs;  // "" when it has no such member
};

// Every member of `ours` that `theirs` has otherwise, or lacks. What only `theirs` has is no difference: an item's own
// address tells more of it than its list. Errors: protocol, when one of them is no JSON object.
Result<std::vector<Difference>> compare_items(std::string_view ours, std::string_view theirs);

}  // namespace shelfd::mirror
