// The daemon's status as shelfctl shows it, read from the JSON of the control API.
#pragma once

#include "base/result.hpp"
#include "control/model/status.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace shelfd::ctl {

struct StatusView : control::Status {
    std::string headline;  // the daemon's; "" for a part of the status
};

// Absent members count as unknown: a daemon of another minor version may send fewer or more. An unknown state counts as
// `filling`, which claims nothing.
// Errors: protocol, if the text is not a status or has another format version.
Result<StatusView> read_status(std::string_view json);

// Reads part of a line of a stream.
control::Running read_running(std::string_view json);
control::RunReport read_run(std::string_view json);

// The same JSON with `notices` after those of the daemon.
Result<std::string> add_notices(std::string_view json, const std::vector<control::Notice>& notices);

}  // namespace shelfd::ctl
