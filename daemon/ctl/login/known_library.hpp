// Whether the daemon has a library of the name that was typed.
#pragma once

#include "base/result.hpp"
#include "ctl/context/context.hpp"

namespace shelfd::ctl {

// Before a person is asked for a secret, or to confirm. Succeeds if the daemon does not say: what is then requested of
// it fails with the reason. Blocks. Errors: not_found, with the names that there are.
Result<void> check_known(const Context& context);

}  // namespace shelfd::ctl
