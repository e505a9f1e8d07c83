// How a table stands: what keeps it from being synced, its runs, and what readers are shown.
#pragma once

#include "base/instant.hpp"
#include "base/state/table_state.hpp"
#include "mirror/values/run_mode.hpp"

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

namespace shelfd::mirror {

// What keeps a resource from being synced, or nothing. Shown by the view `freshness` from then on.
enum class Blocked { none, paused, wrong_library, needs_person, forbidden };

struct ResourceState {
    Blocked blocked = Blocked::none;
    std::string why = {};               // for people, one sentence; empty: nothing to say
    std::optional<Instant> since = {};  // when it began; default: now, or kept where the word does not change
    std::optional<Instant> next_due = {};
};

// A pass that published nothing. Published ones write their own line.
struct RunRecord {
    std::string run_id = {};
    std::string resource = {};
    RunMode mode = RunMode::full;
    Instant started = {};
    Instant finished = {};
    std::string error = {};  // shown as `why` until the next pass is published
    std::uint64_t requests = 0;
    std::uint64_t pages = 0;
    std::string reasons = {};  // of the requests, as in Proof
};

// What the run that published last did, as long as its line is kept. A round over many slices is one run.
struct RunCounts {
    std::string run_id = {};
    std::uint64_t added = 0;
    std::uint64_t changed = 0;
    std::uint64_t deleted = 0;
};

struct ResourceSummary {
    std::string resource = {};
    TableState state = TableState::filling;  // as the view said when this was read
    std::uint64_t rows = 0;
    std::optional<Instant> as_of;
    std::optional<Instant> proven_as_of;
    std::optional<Instant> last_started = {};  // our clock, of the pass that published last; as long as its run is kept
    std::optional<Instant> late_at = {};
    std::optional<Instant> next_due = {};
    std::optional<Instant> since = {};  // of a blocked state
    std::uint64_t candidates = 0;
    std::uint64_t held = 0;
    std::string why = {};
    std::optional<Instant> complete_from = {};  // of a ledger
    std::optional<Instant> complete_to = {};
    std::optional<Instant> proven_late_at = {};  // when the last proof is too old
    std::optional<Instant> held_since = {};      // of the row that has waited longest for a decision
    std::optional<RunCounts> last_run = {};
    std::string feed_position = {};  // the newest one of the change feed, as `shelfctl changes --since` takes it

    // The state as the view says it at `now`: what was fresh becomes late as time goes on.
    TableState state_at(Instant now) const;
};

}  // namespace shelfd::mirror
