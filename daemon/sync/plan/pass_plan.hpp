// What one pass asks for: which kind it is, where it begins, and what is known of the answers beforehand.
#pragma once

#include "base/instant.hpp"
#include "budget/ledger.hpp"
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
    full,         // the whole list: sees deletions, and changes that no date tells
    incremental,  // what changed since an instant
    window,       // a window of a ledger, whole
};

struct PassPlan {
    PassKind kind = PassKind::full;
    std::string path;
    std::string first_query;  // of page 1, without '?'
    // The same without the order that the daemon chose by itself, for a service that refuses it; "" = nothing to drop.
    std::string plain_query;
    bool newest_first = false;                   // newest keys first, asked for or by the service's own order
    std::optional<Envelope> envelope;            // as the answers were so far; another one is a fault
    std::optional<Instant> since;                // of an incremental pass: what changed later is asked for
    std::string previous_key_set;                // of the last walk over the same rows
    bool repeats = false;                        // that one proved nothing, and this one is made because of it
    std::optional<Instant> previous_as_of = {};  // of that one
    std::optional<mirror::Slice> slice;          // of a sliced table: what the pass is about
    budget::Tally spent = {};                    // on making this plan
    bool failed_before = false;                  // of a list by parent: it is asked for once, for the next round waits
    std::string fault = {};                      // why it cannot be walked as configured; "" = nothing is known
    std::string whole_query = {};                // of an incremental pass: page 1 of a walk over the whole list
    std::string reversed_query = {};             // of page 1 in the opposite order; "" = none is asked for
    // What is known of the end of such lists, and learned meanwhile: one for all passes of a round. nothing: nothing
    // is.
    std::shared_ptr<EndHabit> end_habit = {};
    std::optional<mirror::RunMode> run_mode = {};  // of lists by parent: that of their round
    // Of a list by parent that is walked whole: since when it would have been asked for changes, and when the whole of
    // it was walked last.
    std::optional<Instant> changes_from = {};
    std::optional<Instant> whole_at = {};
};

std::shared_ptr<EndHabit> end_habit_of(const mirror::Discovery& discovery);
PassPlan plan_full(const config::Library& library, const config::Resource& resource,
                   const mirror::Discovery& discovery);
// `discovery.changes_from` must be there, and the resource's `incremental`.
PassPlan plan_incremental(const config::Library& library, const config::Resource& resource,
                          const mirror::Discovery& discovery);
// One window. `windows` cut the ledger, `choice` is one of them; `discovery` tells how its rows write a day.
PassPlan plan_window(const config::Library& library, const config::Resource& resource,
                     const mirror::Discovery& discovery, const schedule::Windows& windows, const WindowChoice& choice);
// One row of a window that begins at `first` and is longer than a day.
std::string bound_query(const config::Library& library, const config::Resource& resource,
                        const mirror::Discovery& discovery, const schedule::Windows& windows, Instant first);
// The list of one parent, whole or what changed in it.
PassPlan plan_list(const config::Library& library, const config::Resource& resource, const mirror::Discovery& discovery,
                   const ListChoice& list);
// Where the list of a resource is; of lists by parent, the one of `parent`, its key as JSON text.
std::string list_path(const config::Resource& resource, const std::string& parent);
// One row, whichever the service sends first: to see what rows look like.
std::string glimpse_query(const config::Library& library, const config::Resource& resource,
                          const mirror::Discovery& discovery);
// How far each pass for changes reaches back: as configured, and at least so far that nothing is lost by what dates do
// not tell: as far as a day, a minute or a second, whatever the rows show.
Duration reach_of(const config::Incremental& incremental, const mirror::Discovery& discovery);
// Page 1 of what changed since an instant, as passes for changes ask but for the order.
std::string changes_query(const config::Library& library, const config::Resource& resource,
                          const mirror::Discovery& discovery, Instant since);
// A list of what will change after `since`: of an instant that has not come yet, a filter that works leaves nothing but
// rows that are dated later still. A few rows a page, in the service's own order.
std::string filter_query(const config::Library& library, const config::Resource& resource,
                         const mirror::Discovery& discovery, Instant since);

const char* to_string(PassKind kind);
// The same for the runs of a table: what measures those of one kind must not count what was done between two rounds.
mirror::RunMode run_mode_of(PassKind kind);
mirror::RunMode run_mode_of(const PassPlan& plan);

}  // namespace shelfd::sync
