// What a person is told after a set was taken in. Pure.
#pragma once

#include "base/result.hpp"
#include "oauth/status/token_facts.hpp"

namespace shelfd::oauth {

// `given` is the refresh token that came in. Errors: why the set is of no use.
Result<ImportOutcome> import_outcome(const TokenFacts& facts, ImportMode mode, const Secret& given);

}  // namespace shelfd::oauth
