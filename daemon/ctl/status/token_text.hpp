// The token sets on a screen: all that is known about one, or one line for each, worst first.
#pragma once

#include "ctl/screen/terminal.hpp"
#include "ctl/status/status_view.hpp"

#include <string>

namespace shelfd::ctl {

// State, reason, dates, measured facts, what to type; one paragraph for each library.
StyledText token_text(const StatusView& status, const Terminal& terminal);

// One line for each library: those that cannot sync, those that soon cannot, and so on to those that are well; equals
// by the time when they stop syncing.
StyledText token_table(const StatusView& status, const Terminal& terminal);

}  // namespace shelfd::ctl
