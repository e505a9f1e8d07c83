// A block of configuration, as probe suggests it for a list.
#pragma once

#include <string>

namespace shelfd::ctl {

// With its details commented out: each takes one more request for each row.
std::string without_details(const std::string& block);

}  // namespace shelfd::ctl
