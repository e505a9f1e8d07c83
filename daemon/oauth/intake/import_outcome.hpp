// The result that a person gets after a set was accepted. Pure.
#pragma once

#include "base/result.hpp"
#include "oauth/endpoint/canary.hpp"
#include "oauth/status/token_facts.hpp"

namespace shelfd::oauth {

// `given` is the refresh token that was provided, `reading` the answer of the canary. Fails if the set is of no use.
Result<ImportOutcome> import_outcome(const TokenFacts& facts, ImportMode mode, const Secret& given,
                                     const CanaryReading& reading);

}  // namespace shelfd::oauth
