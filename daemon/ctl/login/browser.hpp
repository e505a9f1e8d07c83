// Shows a page in the person's browser.
#pragma once

#include "ctl/context/places.hpp"

#include <string>

namespace shelfd::ctl {

// Starts xdg-open(1) without waiting for it. False if it cannot be started.
bool open_in_browser(const std::string& url, const Environment& environment);

}  // namespace shelfd::ctl
