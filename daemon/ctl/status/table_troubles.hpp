// Trouble of tables that no problem of the daemon covers, and the words that all troubles share.
#pragma once

#include "ctl/status/problem_list.hpp"

#include <string>
#include <vector>

namespace shelfd::ctl {

// Tables in the same state for the same reason are one trouble.
std::vector<Trouble> find_table_troubles(const StatusView& status);

// "antwerp recipes, stock; ghent", "antwerp, ghent, hasselt and 36 more libraries"
std::string describe_who(const std::vector<const control::Affected*>& affected);

// 0 is the worst.
int rank_of(control::Severity severity);

}  // namespace shelfd::ctl
