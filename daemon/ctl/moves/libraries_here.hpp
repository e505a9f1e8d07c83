// The libraries of the daemon, for a verb about the token sets of all of them.
#pragma once

#include "ctl/context/context.hpp"
#include "ctl/status/status_view.hpp"

#include <optional>

namespace shelfd::ctl {

// Empty if the daemon does not say: the error is printed then, and `code` set.
std::optional<StatusView> libraries_here(const Context& context, ExitCode& code);

}  // namespace shelfd::ctl
