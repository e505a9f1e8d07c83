// The one place that knows the TOML library.
#pragma once

#include "config/tree/fault.hpp"
#include "config/tree/node.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace shelfd::config {

// `file` is the name for positions. TOML is read up to its first fault of syntax, which is added to `faults`.
std::optional<Node> read_toml(std::string_view text, const std::string& file, FaultList& faults);

}  // namespace shelfd::config
