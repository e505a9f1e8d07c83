// What becomes TOKEN g+1. Pure.
#pragma once

#include "oauth/held/held_sets.hpp"
#include "oauth/set/token_answer.hpp"

namespace shelfd::oauth {

struct NextSetFacts {
    const HeldSets& sets;
    const RefreshMachine& machine;
    const Moments& moments;
    const TokenAnswer& answer;  // of commit, or what survived of a lost one: commit_rest
    BootTime now;
};

// For the actions commit, commit_rest and restore_kept; without its library.
TokenSet next_set(RefreshMachine::ActionKind kind, const NextSetFacts& facts);

// Of the answer's access token. A lifetime in another unit by mistake would make a refresh every few seconds: under a
// minute it is believed only where an access token has died so early.
Duration lifetime_of(const NextSetFacts& facts);

}  // namespace shelfd::oauth
