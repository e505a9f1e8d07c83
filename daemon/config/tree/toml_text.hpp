// Values as TOML that means the same when it is read as configuration.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace shelfd::config {

std::string quote(const std::string& text);
std::string array_of(const std::vector<std::string>& texts);
std::string table_of(const std::map<std::string, std::string>& members);
// Of values that are TOML already.
std::string inline_table(const std::vector<std::pair<std::string, std::string>>& pairs);

}  // namespace shelfd::config
