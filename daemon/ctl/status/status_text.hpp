// The status on a screen: a headline, what is wrong and what to type, a table.
#pragma once

#include "ctl/screen/terminal.hpp"
#include "ctl/status/status_view.hpp"

#include <string>

namespace shelfd::ctl {

enum class Detail {
    trouble,  // many libraries that are well are one line
    tables,   // a line for each library, and one for each table
};

StyledText status_text(const StatusView& status, Detail detail, const Terminal& terminal);

// "page 3 of 12, 212 rows/s, 40 s left"
std::string progress_text(const control::Running& running);

// "1 request", "12 requests"
std::string requests_text(std::uint64_t count);

// "2 s ago", "-" for never.
std::string ago(const std::optional<Instant>& at, Instant now);
// "in 58 s", "now", "-".
std::string ahead(const std::optional<Instant>& at, Instant now);

}  // namespace shelfd::ctl
