// Computes the status of a token keeper. Pure.
#pragma once

#include "base/result.hpp"
#include "oauth/status/token_facts.hpp"
#include "oauth/status/token_status.hpp"

namespace shelfd::oauth {

TokenState state_of(const TokenFacts& facts);
TokenStatus describe(const TokenFacts& facts);
// Why there is no access token now: the error of `TokenKeeper::access`. Kinds: needs_person, network, throttled,
// storage, config.
Error why_not(const TokenFacts& facts);

// In describe_sentences.cpp: adds reason, advice and next step to a status that is complete otherwise.
void add_sentences(TokenStatus& status, const TokenFacts& facts);
// Why nothing happens now. `trouble` is the latest failure; "" if it is unknown.
std::string sentence(Why why, const std::string& trouble);

}  // namespace shelfd::oauth
