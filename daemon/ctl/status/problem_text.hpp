// What is wrong, on a screen: what happened, who can end it, and what to type.
#pragma once

#include "ctl/screen/terminal.hpp"
#include "ctl/status/problem_list.hpp"

#include <vector>

namespace shelfd::ctl {

StyledText trouble_text(const Trouble& trouble, Instant now, const Terminal& terminal);

// All that is known about these problems: every library, its tables, reason and cure.
StyledText problem_text(const std::vector<control::Cause>& problems, Instant now, const Terminal& terminal);

}  // namespace shelfd::ctl
