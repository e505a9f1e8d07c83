// Checks of the groups that the configuration names, and of who may read which mirror. Pure.
#pragma once

#include "ctl/doctor/finding.hpp"
#include "ctl/survey/facts.hpp"

namespace shelfd::ctl {

Findings check_groups(const Facts& facts);
// By user name.
Findings check_readers(const Facts& facts);

}  // namespace shelfd::ctl
