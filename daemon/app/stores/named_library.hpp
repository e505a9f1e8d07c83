// Finds a configured library by its name, and says how it differs from one before.
#pragma once

#include "config/model/model.hpp"

#include <string>

namespace shelfd::app {

// nullptr if there is none of that name.
const config::Library* find_named(const config::Libraries& libraries, const std::string& name);

// A line for a report: "library ghent added". `before`: what ran until now.
std::string describe_change(const config::Libraries& before, const config::Library& now);

}  // namespace shelfd::app
