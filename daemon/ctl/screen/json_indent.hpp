// Formats JSON for reading: one member in each line, values as sent.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shelfd::ctl {

// Numbers and strings are copied, not converted, so none can change. Empty objects and arrays stay on their line. Empty
// if brackets and quotes do not match, or nest deeper than 256 levels.
std::optional<std::string> indented(std::string_view json);

}  // namespace shelfd::ctl
