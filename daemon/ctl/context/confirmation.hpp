// Asks a person to agree to something that cannot be undone.
#pragma once

#include "ctl/context/context.hpp"

#include <string>

namespace shelfd::ctl {

// The person types the name of the library of this command; --force answers instead. `what`: a clause about what would
// be done; `otherwise`: a clause about what is so without consent. Error usage: without it, and without a terminal.
Result<void> confirm_by_name(const Context& context, const std::string& what, const std::string& otherwise);

}  // namespace shelfd::ctl
