// Names of libraries that the configuration knows as former ones.
#pragma once

#include "config/model/model.hpp"

#include <string>

namespace shelfd::ctl {

// Whether a library takes over what is kept under that name, as soon as the daemon can.
bool is_former_name(const config::Configuration& configuration, const std::string& name);

}  // namespace shelfd::ctl
