// Shows a page in the person's browser.
#pragma once

#include "ctl/context/places.hpp"

#include <string>

#include <sys/resource.h>

namespace shelfd::ctl {

// Starts xdg-open(1) without waiting for it, with this limit of core files. False if it cannot be started.
bool open_in_browser(const std::string& url, const Environment& environment, const rlimit& core_limit);

}  // namespace shelfd::ctl
