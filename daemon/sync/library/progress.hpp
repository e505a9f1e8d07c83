// What a pass under way is doing.
#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace shelfd::sync {

// What a pass, or the queue of details, is doing.
enum class Phase {
    identity,  // asking whose token it is
    pages,
    closing,    // looking at page 1 once more
    witnesses,  // asking for rows that the list lacks, by themselves
    publishing,
    waiting,  // for trouble to pass
    details,  // asking for items one by one
    queued,   // until a long list may be walked: others of the library are
};

const char* to_string(Phase phase);

// For `sync` with progress, `status` and STATUS=.
struct Progress {
    bool running = false;
    Instant started;
    Phase phase = Phase::identity;
    std::uint32_t page = 0;                     // being fetched, from 1
    std::uint32_t pages = 0;                    // expected in all, 0 = not known yet
    std::uint64_t rows = 0;                     // staged so far
    std::uint64_t count = 0;                    // rows in the list by the service, 0 = not known yet
    std::string note;                           // the trouble that is being waited out, "" = none
    std::optional<Instant> held_up_since = {};  // by that trouble, nothing arrived
    std::uint64_t list = 0;  // of lists by parent: which one of this round, from 1; 0 = there are no such lists
    std::uint64_t lists = 0;
    Instant round_started = {};
};

}  // namespace shelfd::sync
