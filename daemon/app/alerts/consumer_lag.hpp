// Finds consumers that do not accept published rounds: a cause like any other, announced to other hooks.
#pragma once

#include "control/hooks/call_queue.hpp"
#include "control/model/cause.hpp"

#include <optional>
#include <string>

namespace shelfd::app {

// Empty unless the oldest call for rounds of that hook was tried twice. `trouble`: why the last call was not
// accepted.
std::optional<control::Cause> find_lag(const std::string& hook, const control::CallQueue& queue,
                                       const std::string& trouble);

}  // namespace shelfd::app
