// What a token keeper says about itself. Pure.
#pragma once

#include "base/result.hpp"
#include "oauth/status/token_facts.hpp"
#include "oauth/status/token_status.hpp"

namespace shelfd::oauth {

TokenState state_of(const TokenFacts& facts);
TokenStatus describe(const TokenFacts& facts);
// Why there is no access token now: the error of `TokenKeeper::access`.
Error why_not(const TokenFacts& facts);

// describe_sentences.cpp: reason, advice and what comes next, for a status whose other members are there.
void add_sentences(TokenStatus& status, const TokenFacts& facts);
// Why nothing happens now; `trouble` is what went wrong, "" where nothing says so.
std::string sentence(Why why, const std::string& trouble);

}  // namespace shelfd::oauth
