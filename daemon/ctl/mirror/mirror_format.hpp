// Names and times of a mirror as its readers write and see them.
#pragma once

#include <string>
#include <string_view>

namespace shelfd::ctl {

// For SQL: "it""s", quotes included.
std::string identifier(std::string_view name);
// An instant of the mirror without its fraction; any other text as it is.
std::string short_time(std::string_view text);

}  // namespace shelfd::ctl
