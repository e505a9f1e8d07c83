// What a mirror has measured of its tables: rows, and what passes cost.
#pragma once

#include "base/result.hpp"
#include "ctl/plan/budget_plan.hpp"

#include <map>
#include <string>

namespace shelfd::ctl {

// By resource; the median of the last ten passes of each kind that were published. Reads the file as any reader does.
Result<std::map<std::string, TableSize>> read_sizes(const std::string& mirror);

}  // namespace shelfd::ctl
