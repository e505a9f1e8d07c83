// Makes sentences comparable that differ only in names and times.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shelfd::control {

// The text with "*" for every instant (RFC 3339), and for the library and the tables where they stand as whole words.
std::string mask(std::string_view text, std::string_view library, const std::vector<std::string>& tables);

}  // namespace shelfd::control
