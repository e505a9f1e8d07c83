// From what the journals say to where the machine begins. Pure.
#pragma once

#include "oauth/endpoint/answer_class.hpp"
#include "oauth/held/held_sets.hpp"
#include "oauth/journal/journal_pair.hpp"

namespace shelfd::oauth {

struct StartFacts {
    const HeldSets& sets;  // the present one is here
    const Moments& moments;
    std::string canary;  // its mark
    bool is_copied = false;
    double random = 0.5;  // in [0, 1)
};

// Where the machine begins with the present set, of which nothing more is known.
RefreshMachine::Start start_of(const StartFacts& facts);

struct Beginning {
    RefreshMachine::Start start;
    ClassifiedAnswer landed;  // what arrived for the attempt of the newest note
    // That attempt's exchange was open: what landed is what came of it.
    bool must_land = false;
    RefreshMachine::Earlier earlier = RefreshMachine::Earlier::none;
};

// The same with the newest note and the answer that belongs to it.
Beginning recover(const Recovered& known, const StartFacts& facts);

// Names a canary: what one taught is not true of another one.
std::string mark_of(const CanarySpec& canary);

}  // namespace shelfd::oauth
