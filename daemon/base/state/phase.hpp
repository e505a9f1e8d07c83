// The step of a pass under way, as a value that daemon and shelfctl share.
#pragma once

#include <optional>
#include <string_view>

namespace shelfd {

// The current step of a pass, or of the queue of details.
enum class Phase {
    identity,  // asking the canary
    pages,
    closing,    // fetching page 1 again
    witnesses,  // requesting missing rows one by one
    publishing,
    waiting,  // until trouble has passed
    details,  // requesting items one by one
    queued,   // waiting for the turn of a long list
};

// The word in JSON and on a screen.
const char* to_string(Phase phase);
// Empty for a word that is no phase.
std::optional<Phase> parse_phase(std::string_view word);

}  // namespace shelfd
