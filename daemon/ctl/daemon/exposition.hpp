// The daemon's metrics, which are Prometheus text, as JSON.
#pragma once

#include <string>
#include <string_view>

namespace shelfd::ctl {

// {"metrics": [{"name": …, "type": …, "help": …, "samples": [{"name": …, "labels": {…}, "value": …}]}]}; lines that are
// no part of a metric are left out.
std::string exposition_to_json(std::string_view text);

}  // namespace shelfd::ctl
