// The status for Nagios, Icinga, Checkmk and others that run the same plugins.
#pragma once

#include "base/state/exit_code.hpp"
#include "ctl/status/status_view.hpp"

#include <string>
#include <string_view>

namespace shelfd::ctl {

// As the Monitoring Plugins Development Guidelines have it: "SHELFD CRITICAL: headline | performance data", then a line
// for each problem. The exit codes 0 to 3 of `status` are those of plugins.
std::string check_text(const StatusView& status, ExitCode code);

// The same if there is no status.
std::string check_unknown(std::string_view why);

}  // namespace shelfd::ctl
