// Errors about names that do not exist: which ones there are, and what to type next.
#pragma once

#include "base/result.hpp"

#include <string>
#include <vector>

namespace shelfd::control {

// Both are of kind not_found and list the known names, similar ones first.
Error unknown_library(const std::string& name, std::vector<std::string> known);
Error unknown_table(const std::string& library, const std::string& name, std::vector<std::string> known);

}  // namespace shelfd::control
