// Computes from the journals where the machine begins. Pure.
#pragma once

#include "oauth/endpoint/answer_class.hpp"
#include "oauth/journal/journal_pair.hpp"
#include "oauth/stored/held_sets.hpp"

namespace shelfd::oauth {

struct StartFacts {
    const HeldSets& sets;  // including the present one
    const Moments& moments;
    std::string canary;  // its mark
    bool is_copied = false;
    double random = 0.5;  // in [0, 1)
};

// Returns where the machine begins with the present set, if nothing else is known.
RefreshMachine::Start start_of(const StartFacts& facts);

struct Beginning {
    RefreshMachine::Start start;
    ClassifiedAnswer landed;  // what arrived for the attempt of the newest note
    // The exchange of that attempt was open: `landed` is its result.
    bool must_land = false;
    RefreshMachine::Earlier earlier = RefreshMachine::Earlier::none;
};

// The same with the newest note and its answer.
Beginning recover(const Recovered& known, const StartFacts& facts);

// Identifies a canary; facts learned from one do not apply to another.
std::string mark_of(const CanarySpec& canary);

}  // namespace shelfd::oauth
