// What the journals say about the store that they lie in: ours, damaged, or a copy of another one.
#pragma once

#include "oauth/journal/journal_pair.hpp"

#include <string>

namespace shelfd::oauth {

enum class StoreState {
    closed,   // the journals cannot be opened; that is tried again
    barred,   // they must not be touched: a later version, another library
    damaged,  // there may have been a set that nobody can read
    copied,   // they were copied or restored: to be adopted before anything is refreshed
    open,
};
struct StoreFinding {
    StoreState state = StoreState::closed;
    std::string why;  // one sentence; "" for open, and before they were opened for the first time
};

// Pure. `machine` is the mark of this machine.
StoreFinding assess_store(const Recovered& known, const Id& machine);

// Machine ids are confidential (machine-id(5)): only a hash that no other program makes is stored. Zero for "".
Id machine_mark(const std::string& machine_id);

}  // namespace shelfd::oauth
