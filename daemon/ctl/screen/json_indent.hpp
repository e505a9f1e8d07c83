// JSON made readable: a member a line, values as they were sent.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shelfd::ctl {

// No number or string is read and written again, so none can change. Empty objects and arrays stay on their line.
// nothing for a text whose brackets and quotes do not fit together, or nest deeper than 256 levels.
std::optional<std::string> indented(std::string_view json);

}  // namespace shelfd::ctl
