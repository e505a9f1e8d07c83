// Finds a configured library by its name.
#pragma once

#include "config/model/model.hpp"

#include <string>

namespace shelfd::app {

// nullptr if there is none of that name.
const config::Library* find_named(const config::Libraries& libraries, const std::string& name);

}  // namespace shelfd::app
