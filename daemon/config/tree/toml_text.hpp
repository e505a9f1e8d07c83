// Writes values as TOML that loads to the same values.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace shelfd::config {

std::string quote(const std::string& text);
std::string array_of(const std::vector<std::string>& texts);
std::string table_of(const std::map<std::string, std::string>& members);
// The values in `pairs` are already TOML.
std::string inline_table(const std::vector<std::pair<std::string, std::string>>& pairs);

}  // namespace shelfd::config
