// The daemon's status as shelfctl shows it, read from the JSON of the control API.
#pragma once

#include "base/result.hpp"
#include "control/model/status.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace shelfd::ctl {

struct StatusView : control::Status {
    std::string headline;  // as the daemon says it; "" for a part of the status
};

// Members that are not there are not known: a daemon of a different minor version may say less or more. A state that is
// not known is taken for `filling`, which claims nothing.
// Errors: protocol, for what is no status or has another format version.
Result<StatusView> read_status(std::string_view json);

// From a line of a stream.
control::Running read_running(std::string_view json);
control::RunReport read_run(std::string_view json);

// The same JSON with notices of our own after those of the daemon.
Result<std::string> add_notices(std::string_view json, const std::vector<control::Notice>& notices);

// One library alone, in the same JSON; headline and exit code, which are about all of them, are left out.
Result<std::string> limit_to_library(std::string_view json, const std::string& library);

}  // namespace shelfd::ctl
