// The status as a page of HTML that needs nothing else.
#pragma once

#include "ctl/status/status_view.hpp"

#include <string>

namespace shelfd::ctl {

// Problems, then every table. No script, no foreign resource; a browser loads it again each minute.
std::string status_page(const StatusView& status);

}  // namespace shelfd::ctl
