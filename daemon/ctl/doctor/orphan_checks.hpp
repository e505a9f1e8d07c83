// Finds files that no library of the configuration names. Pure.
#pragma once

#include "ctl/doctor/finding.hpp"
#include "ctl/survey/facts.hpp"

namespace shelfd::ctl {

// Mirrors, token sets, kept pages, snapshots, damaged mirrors that were set aside, and files of other programs.
Findings check_orphans(const Facts& facts);

}  // namespace shelfd::ctl
