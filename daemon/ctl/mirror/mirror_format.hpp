// Names and times of a mirror as its readers write and see them.
#pragma once

#include "base/result.hpp"
#include "storage/sql_names.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace shelfd::ctl {

using storage::identifier;

// The error about a table that is none of those that are `known`.
Error no_table(const std::string& table, const std::vector<std::string>& known);
// An instant of the mirror without its fraction; any other text as it is.
std::string short_time(std::string_view text);

}  // namespace shelfd::ctl
