// The token sets on a screen: all that is known about one, or a line for each, worst first.
#pragma once

#include "ctl/screen/terminal.hpp"
#include "ctl/status/status_view.hpp"

#include <string>

namespace shelfd::ctl {

// State, reason, dates, measured facts, what to type; a paragraph for each library.
StyledText token_text(const StatusView& status, const Terminal& terminal);

// A line for each library: those that cannot sync any more, those that will not for long, and so on to those that are
// well; among equals the first to go dark.
StyledText token_table(const StatusView& status, const Terminal& terminal);

}  // namespace shelfd::ctl
