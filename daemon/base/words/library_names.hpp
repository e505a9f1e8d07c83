// Some of many libraries by name, and how many more there are.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace shelfd {

// More of them are not named in one line.
inline constexpr std::size_t named_libraries = 3;

// "antwerp, bruges, ghent and 17 more libraries": the first ones, as many as leave room for more on the line. `names`
// are distinct; at least one.
std::string name_libraries(const std::vector<std::string>& names);

}  // namespace shelfd
