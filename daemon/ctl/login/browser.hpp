// Shows a page in the browser of the person at the terminal.
#pragma once

#include "ctl/context/places.hpp"

#include <string>

namespace shelfd::ctl {

// By xdg-open(1), without waiting for it. False when that cannot be started.
bool open_in_browser(const std::string& url, const Environment& environment);

}  // namespace shelfd::ctl
