// A walk over a list in values: how it begins, what its pages brought, why it is believed, what it changed.
#pragma once

#include "base/instant.hpp"
#include "mirror/values/run_mode.hpp"
#include "mirror/values/slice.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd::mirror {

struct PassStart {
    std::string run_id = {};
    RunMode mode = RunMode::full;        // of the run that it belongs to
    bool asks_changes = false;           // for what changed only: what is not there, the table keeps
    Instant started = {};                // our clock
    Instant as_of = {};                  // the service's Date at the start; our clock less a margin where it sends none
    std::uint64_t token_generation = 0;  // of the set the pass begins with
    std::optional<Slice> slice = {};     // of a sliced table: what the pass is about
};

// What one page brought. Keys that are integers can be compared; `highest_key` and `descending` mean nothing else.
struct PageFacts {
    std::uint64_t items = 0;
    std::uint64_t new_to_pass = 0;            // distinct keys that no page of this pass had before
    std::uint64_t fresh = 0;                  // items that the table does not have, or not as they are
    std::optional<std::int64_t> highest_key;  // where every key of the page is an integer
    std::optional<std::int64_t> lowest_key;   // likewise
    std::uint64_t above_newest = 0;           // keys above the highest of this pass's first page
    bool descending = true;                   // integer keys that fall within the page and from the page before it
    bool falling = true;                      // integer keys that fall within the page
    std::string key_set = {};                 // digest of the keys met so far, this page's included: the same for two
                                              // walks that met the same keys, in whatever order
    std::uint64_t entered = 0;                // items met for the first time in this walk that did not come in at the
                                              // front: known from another slice, lacked by the walk before, or new with
                                              // a key below the table's highest
    std::uint64_t moved = 0;                  // of these, known from another slice
    std::uint64_t bytes = 0;
};

// All slices that keep a table fresh were walked, this one the last of them.
struct RoundProgress {
    Instant as_of = {};   // when the first of them was begun, by the service
    bool proven = false;  // all of them
};

// Why the walk is believed, as sync worked it out. Only a complete pass witnesses against rows it lacks and moves
// `proven_as_of`; any other one adds and changes rows and deletes none.
struct Proof {
    bool complete = false;
    std::string kind = {};                          // a word of sync::ProofKind
    std::string text = {};                          // for people: "12 pages, 2301 distinct keys of 2301"
    bool one_answer = false;                        // the whole list came in one page: no row can have slipped through
    std::optional<std::uint64_t> count_start = {};  // the service's own count, where it sends one
    std::optional<std::uint64_t> count_end = {};
    std::uint64_t pages = 0;
    std::uint64_t requests = 0;
    std::string reasons = {};              // of the requests: {"page":12,"closing":1}
    std::optional<Instant> late_at = {};   // when the table is late unless published again; default as_of + late_after
    std::optional<Instant> next_due = {};  // when the next pass is planned
    std::optional<Instant> changes_from = {};  // changes before it are in the table now; nothing: as it was
    bool whole = true;                         // the walk was over the whole list
    bool keys_tell = true;                     // else no later walk may be compared with the keys of this one
    bool is_unvouched = false;  // it would be complete, but the token may have been a dead one: what it lacks is held
    std::optional<RoundProgress> round = {};  // of a slice that ends one
};

struct PublishOutcome {
    std::uint64_t rows = 0;  // in the table now
    std::uint64_t added = 0;
    std::uint64_t changed = 0;
    std::uint64_t unchanged = 0;
    std::uint64_t deleted = 0;
    std::uint64_t candidates = 0;  // absent from this pass, still in the table: they go when the next one agrees
    std::uint64_t held = 0;        // absent as well, and kept until a person decides: the list is filtered
    std::uint64_t drifted = 0;     // members met with another type than their column's, kept exactly all the same
};

// A row of the table that the walk did not meet.
struct MissingRow {
    enum class Standing { missing, held, kept };  // kept: a person said that it stays, though it is not listed
    std::string key = {};                         // as JSON text
    std::string address = {};                     // of itself, as the service sent it; "": it has none
    Standing standing = Standing::missing;
};

// What the service answered when it was asked for one missing row by itself.
enum class Witness {
    gone,   // that there is none: it was deleted
    there,  // with the item: the list hides it, nothing was deleted
    none,   // neither
};

}  // namespace shelfd::mirror
