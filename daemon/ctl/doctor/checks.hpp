// All checks of `shelfctl doctor`. The room judges facts that ctl/survey/ has gathered, without I/O of its own, except
// for `mend`.
#pragma once

#include "ctl/doctor/finding.hpp"
#include "ctl/survey/facts.hpp"

namespace shelfd::ctl {

// Worst first; of the same verdict, in the order of the checks.
Findings check_all(const Facts& facts);

}  // namespace shelfd::ctl
