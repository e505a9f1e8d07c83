// Checks of disks: both token journals, and room for what the mirrors need. Pure.
#pragma once

#include "ctl/doctor/finding.hpp"
#include "ctl/survey/facts.hpp"

namespace shelfd::ctl {

Findings check_token_copies(const Facts& facts);
// Free space and inodes, against what a snapshot and a large publication take, and against the growth of the mirrors.
Findings check_space(const Facts& facts);
Findings check_wal(const Facts& facts);
// Mirrors that this user cannot read although he may look at them.
Findings check_mirror_contents(const Facts& facts);

}  // namespace shelfd::ctl
