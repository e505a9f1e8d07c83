// Breaks lines between words, because a terminal breaks them anywhere.
#pragma once

#include <string>
#include <string_view>

namespace shelfd::ctl {

// Lines of at most `width` columns where words permit. Continued lines are indented by two columns more than their
// line. A command (from shelfctl, sudo or systemctl to the end of the clause) stays in one line if it fits, so that it
// can be copied. Colours (SGR sequences) have no width.
std::string wrap(std::string_view text, std::size_t width);

}  // namespace shelfd::ctl
