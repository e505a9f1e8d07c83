// The standing of a table: what blocks it, its runs, and what readers see.
#pragma once

#include "base/instant.hpp"
#include "base/state/table_state.hpp"
#include "base/state/trouble.hpp"
#include "mirror/values/run_mode.hpp"

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::mirror {

// What keeps a resource from being synced. Shown by the view `freshness`.
enum class Blocked { none, paused, wrong_library, needs_person, forbidden };

struct ResourceState {
    Blocked blocked = Blocked::none;
    std::string why = {};               // one sentence for people; "" = none
    std::optional<Instant> since = {};  // empty: now, or unchanged if `blocked` is the same as before
    std::optional<Instant> next_due = {};
    TroubleSource cause = TroubleSource::service;  // of `why`
    bool forgets_error = false;                    // the error of the last run says nothing about the next one
};

// Who asked for a run.
struct RunAsker {
    std::string run_id;
    std::string who;  // users, "erik, jan"
};

// A pass that published nothing. Published passes write their own row.
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

// What a person has done to a library, other than passes.
struct ActRecord {
    std::string run_id = {};
    std::string verb = {};      // of shelfctl: "auth import"
    std::string resource = {};  // "" = the whole library
    std::string asked_by = {};
    Instant started = {};
    Instant finished = {};
    std::string error = {};  // why it was not done; "" = done
};

// In the remark of `freshness` about rows that are not listed any more.
inline constexpr std::string_view kept_by_person = "kept as a person decided";

// What the run that published last did, as long as its line is kept. A round over many slices is one run.
struct RunCounts {
    std::string run_id = {};
    std::uint64_t added = 0;
    std::uint64_t changed = 0;
    std::uint64_t deleted = 0;
};

// The newest pass of a table in `_runs`, published or not.
struct PastRun {
    std::string run_id = {};
    std::string mode = {};  // as to_string(RunMode)
    bool is_published = false;
    Instant started = {};
    Instant finished = {};
    std::string error = {};
    bool is_proven = false;  // complete
    std::uint64_t requests = 0;
    std::uint64_t pages = 0;
    std::uint64_t rows = 0;  // in the table afterwards
    std::uint64_t added = 0;
    std::uint64_t changed = 0;
    std::uint64_t deleted = 0;
    std::vector<RunCounts> published_lately = {};  // up to a minute before this one ended, newest first; this one, too
};

enum class NewestRun { left_out, included };

struct ResourceSummary {
    std::string resource = {};
    TableState state = TableState::filling;  // as the view reported when this was read
    std::uint64_t rows = 0;
    std::optional<Instant> as_of;
    std::optional<Instant> proven_as_of;
    std::optional<Instant> last_started = {};  // our clock, of the pass published last, while its run is kept
    std::optional<Instant> late_at = {};
    std::optional<Instant> next_due = {};
    std::optional<Instant> since = {};  // of the blocked state
    std::uint64_t candidates = 0;
    std::uint64_t held = 0;
    std::string why = {};
    TroubleSource cause = TroubleSource::service;  // of `why`; service if that is not known
    // What to do, if `why` is a remark and ends with it; "" = nothing.
    std::string cure = {};
    // Requests for pages by the last published pass, if it was a full one; second looks at page 1 included.
    std::optional<std::uint64_t> full_requests = {};
    std::optional<std::uint64_t> lists_walked = {};  // if `why` is their number, of a first round
    std::optional<Instant> complete_from = {};       // for a ledger
    std::optional<Instant> complete_to = {};
    std::optional<Instant> proven_late_at = {};  // when the last proof becomes too old
    std::optional<Instant> held_since = {};      // of the row that has waited longest for a decision
    std::optional<RunCounts> last_run = {};
    std::shared_ptr<const PastRun> newest_run = {};  // if asked for, and its line is kept
    std::string feed_position = {};  // the newest one of the change feed, as `shelfctl changes --since` takes it

    // The state that the view would report at `now`: a fresh table becomes late as time passes.
    TableState state_at(Instant now) const;
};

// What a mirror says of a table after its state was stored.
struct StoredState {
    std::optional<ResourceSummary> summary;  // empty: the table is not declared
    bool feed_waits = false;                 // changes of the feed are only in the WAL: see checkpoint_feed
};

}  // namespace shelfd::mirror
