// The Link header: where else to go from here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shelfd::http {

// The target of the first link of this relation type, as written: `</items/?page=2>; rel="last next"`. nothing where
// there is none. (RFC 8288 section 3: a list of links; relation types without regard to case, several in one `rel`.)
std::optional<std::string> link_target(std::string_view header, std::string_view relation);

}  // namespace shelfd::http
