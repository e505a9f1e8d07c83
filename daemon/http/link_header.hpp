// The Link header of an answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shelfd::http {

// Returns the target of the first link of this relation type, as written: `</items/?page=2>; rel="last next"`; empty if
// there is none. (RFC 8288 section 3: a list of links; relation types ignore case; `rel` may hold several.)
std::optional<std::string> link_target(std::string_view header, std::string_view relation);

}  // namespace shelfd::http
