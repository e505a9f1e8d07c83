// The only code that uses the TOML library.
#pragma once

#include "config/tree/fault.hpp"
#include "config/tree/node.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace shelfd::config {

// `file` is the name in positions. Reads up to the first syntax fault, which is added to `faults`.
std::optional<Node> read_toml(std::string_view text, const std::string& file, FaultList& faults);

}  // namespace shelfd::config
