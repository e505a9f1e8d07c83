// Checks of the machine and of the programs: clock, limits, versions, service manager. Pure.
#pragma once

#include "ctl/doctor/finding.hpp"
#include "ctl/survey/facts.hpp"

#include <string_view>

namespace shelfd::ctl {

// `built_in`: the year in which this program was built; no clock is right that shows an earlier one.
Findings check_clock(const Facts& facts, int built_in);
Findings check_limits(const Facts& facts);
// `own`: the version of shelfctl.
Findings check_versions(const Facts& facts, std::string_view own);
Findings check_daemon(const Facts& facts);
Findings check_system(const Facts& facts);
// Whether the sandbox of the unit lets the daemon write where the configuration says.
Findings check_unit(const Facts& facts);

}  // namespace shelfd::ctl
