// Whether the daemon has a library of the name that was typed, and whether another one has the same data.
#pragma once

#include "base/result.hpp"
#include "config/model/model.hpp"
#include "ctl/context/context.hpp"

#include <string>

namespace shelfd::ctl {

// Before a person is asked for a secret, or to confirm. Succeeds if the daemon does not say: what is then requested of
// it fails with the reason. Blocks. Errors: not_found, with the names that there are.
Result<void> check_known(const Context& context);

// That another library of the same service has the data of `id`, the library of a token set of this command's library,
// as it is configured or as the daemon has learned; "" = none, or the daemon does not say. Blocks.
std::string other_holder(const Context& context, const config::Configuration& configuration, const std::string& id);

}  // namespace shelfd::ctl
