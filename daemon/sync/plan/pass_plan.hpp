// What one pass requests: its kind, its first query, and what is already known about the answers.
#pragma once

#include "base/instant.hpp"
#include "budget/tally.hpp"
#include "config/model/model.hpp"
#include "mirror/records/discovery.hpp"
#include "mirror/records/slices.hpp"
#include "mirror/values/run_mode.hpp"
#include "sync/plan/list_plan.hpp"
#include "sync/plan/window_plan.hpp"
#include "sync/service/end_search.hpp"
#include "sync/service/envelope.hpp"

#include <memory>
#include <optional>
#include <string>

namespace shelfd::sync {

enum class PassKind {
    full,         // the whole list: finds deletions, and changes that no date shows
    incremental,  // rows that changed since an instant
    window,       // one window of a ledger, whole
};

// What both clocks showed at the same time.
struct ClockReading {
    Instant service;
    BootTime ours;
};

struct PassPlan {
    PassKind kind = PassKind::full;
    std::string path;
    std::string first_query;  // query of page 1, without '?'
    // The same without the order that the daemon chose, for a service that refuses it; "" = no order to drop.
    std::string plain_query;
    bool newest_first = false;                   // newest keys first, requested or the service's own order
    std::optional<Envelope> envelope;            // the kind of the answers so far; another kind is an error
    std::optional<Instant> since;                // for an incremental pass: requests what changed since then
    std::optional<Instant> confirmed_to = {};    // of the table: all earlier changes are known to be in it
    std::optional<ClockReading> clock = {};      // at the start of the last published pass, if this daemon made it
    std::string previous_key_set;                // of the last walk over the same rows
    bool repeats = false;                        // this walk repeats that one, which proved nothing
    std::optional<Instant> previous_as_of = {};  // `as_of` of that walk
    std::optional<mirror::Slice> slice;          // for a sliced table: the slice of this pass
    budget::Tally spent = {};                    // requests sent to make this plan
    bool failed_before = false;                  // a list by parent that failed last time: tried once
    std::string fault = {};                      // why the list cannot be walked as configured; "" = no reason known
    std::string whole_query = {};                // for an incremental pass: page 1 of a walk over the whole list
    std::string reversed_query = {};             // page 1 in the opposite order; "" = none is requested
    // What is known, and learned meanwhile, about the end of such lists; shared by all passes of a round. May be null.
    std::shared_ptr<EndHabit> end_habit = {};
    std::optional<mirror::RunMode> run_mode = {};  // for lists by parent: the mode of their round
    // For a whole walk of a list by parent: the start of its walks for changes, and the time of the last whole walk.
    std::optional<Instant> changes_from = {};
    std::optional<Instant> whole_at = {};
};

std::shared_ptr<EndHabit> end_habit_of(const mirror::Discovery& discovery);
PassPlan plan_full(const config::Library& library, const config::Resource& resource,
                   const mirror::Discovery& discovery);
// Requires `discovery.changes_from` and the resource's `incremental`.
PassPlan plan_incremental(const config::Library& library, const config::Resource& resource,
                          const mirror::Discovery& discovery);
// A pass over the window `choice` of `windows`; `discovery` shows how rows write a day.
PassPlan plan_window(const config::Library& library, const config::Resource& resource,
                     const mirror::Discovery& discovery, const schedule::Windows& windows, const WindowChoice& choice);
// Requests one row of a window that begins at `first` and is longer than a day.
std::string bound_query(const config::Library& library, const config::Resource& resource,
                        const mirror::Discovery& discovery, const schedule::Windows& windows, Instant first);
// A pass over the list of one parent, whole or for changes.
PassPlan plan_list(const config::Library& library, const config::Resource& resource, const mirror::Discovery& discovery,
                   const ListChoice& list);
// The path of a resource's list; for lists by parent, of the list of `parent` (its key as JSON text).
std::string list_path(const config::Resource& resource, const std::string& parent);
// Requests one row in the service's own order, to see what rows look like.
std::string glimpse_query(const config::Library& library, const config::Resource& resource,
                          const mirror::Discovery& discovery);
// How far before `changes_from` an incremental pass begins: the configured overlap, and at least so far that the
// resolution of dates (day, minute, second) loses no change.
Duration reach_of(const config::Incremental& incremental, const mirror::Discovery& discovery);
// Page 1 of an incremental pass, without an order.
std::string changes_query(const config::Library& library, const config::Resource& resource,
                          const mirror::Discovery& discovery, Instant since);
// Requests a few rows that changed after `since`, in the service's own order. If `since` is in the future, a filter
// that works returns only rows dated later still.
std::string filter_query(const config::Library& library, const config::Resource& resource,
                         const mirror::Discovery& discovery, Instant since);

const char* to_string(PassKind kind);
// The mode under which a pass is recorded in the table's runs; passes between two rounds have one of their own, so that
// statistics of rounds exclude them.
mirror::RunMode run_mode_of(PassKind kind);
mirror::RunMode run_mode_of(const PassPlan& plan);

}  // namespace shelfd::sync
