// Computes the set that becomes TOKEN g+1, and which lifetime of it is believed. Pure.
#pragma once

#include "oauth/set/token_answer.hpp"
#include "oauth/stored/held_sets.hpp"

namespace shelfd::oauth {

struct NextSetFacts {
    const HeldSets& sets;
    const RefreshMachine& machine;
    const Moments& moments;
    const TokenAnswer& answer;  // for commit; for commit_rest what survived of a lost answer
    BootTime now;
    Instant wall = {};          // of `now`
    std::string given_up = {};  // for restore_kept: why the newer set is given up
    bool is_doubtful = false;   // the answer may hold another set than the service has in force
};

// For the actions commit, commit_rest and restore_kept. The caller sets `library_id`.
TokenSet next_set(RefreshMachine::ActionKind kind, const NextSetFacts& facts);

// Lifetime of the answer's access token. A value in the wrong unit would cause a refresh every few seconds, so less
// than a minute counts only if the present one is as short, or an access token died that early.
Duration lifetime_of(const NextSetFacts& facts);

}  // namespace shelfd::oauth
