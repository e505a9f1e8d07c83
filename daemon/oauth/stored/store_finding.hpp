// Assesses the store from its journals: ours, damaged, or a copy of another one.
#pragma once

#include "oauth/journal/journal_pair.hpp"

#include <string>

namespace shelfd::oauth {

enum class StoreState {
    closed,   // the journals cannot be opened; retried
    barred,   // they must not be changed: written by a later version or for another library
    damaged,  // they may have held a set that cannot be read
    copied,   // they were copied or restored: must be adopted before a refresh
    open,
};
struct StoreFinding {
    StoreState state = StoreState::closed;
    std::string why;  // one sentence; "" for open, and before the first opening
};

// Pure. `machine` is the mark of this machine, see `machine_mark`.
StoreFinding assess_store(const Recovered& known, const Id& machine);

// Returns a hash that only this program makes: machine ids are confidential (machine-id(5)). All zero for "".
Id machine_mark(const std::string& machine_id);

}  // namespace shelfd::oauth
