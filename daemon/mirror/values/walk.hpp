// A walk over a list as values: its start, its pages, its proof and its result.
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
    RunMode mode = RunMode::full;        // of the run it belongs to
    bool asks_changes = false;           // only for changes: the table keeps rows that the pass lacks
    Instant started = {};                // our clock
    Instant as_of = {};                  // the service's Date at the start; without one, our clock minus a margin
    std::uint64_t token_generation = 0;  // of the token set in use at the start
    std::optional<Slice> slice = {};     // for a sliced table: the scope of the pass
};

// Facts about one page. Only integer keys are compared: `highest_key` and `descending` apply to them alone.
struct PageFacts {
    std::uint64_t items = 0;
    std::uint64_t new_to_pass = 0;            // distinct keys that no earlier page of this pass had
    std::uint64_t fresh = 0;                  // items that the table lacks or has with other content
    std::optional<std::int64_t> highest_key;  // if each key of the page is an integer
    std::optional<std::int64_t> lowest_key;   // the same
    std::uint64_t above_newest = 0;           // keys above the highest of this pass's first page
    bool descending = true;                   // integer keys that decrease within the page and from the previous page
    bool falling = true;                      // integer keys that decrease within the page
    std::string key_set = {};                 // digest of all keys met so far, whatever their order
    std::uint64_t entered = 0;                // items met for the first time that did not enter at the front: moved,
                                              // absent from the previous walk, or new with a key below the highest of
                                              // the table
    std::uint64_t moved = 0;                  // of these, known from another slice
    std::uint64_t bytes = 0;
};

// All slices that keep a table fresh were walked; this is the last one.
struct RoundProgress {
    Instant as_of = {};   // when the first of them began, by the service's clock
    bool proven = false;  // all of them were
};

// Why a walk is reliable, as determined by sync. Only a complete pass is evidence against rows that it lacks, and
// updates `proven_as_of`; any other one adds and changes rows but deletes none.
struct Proof {
    bool complete = false;
    std::string kind = {};                          // a word of sync::ProofKind
    std::string text = {};                          // for people: "12 pages, 2301 distinct keys of 2301"
    bool one_answer = false;                        // one page had the whole list: no row can have been missed
    std::optional<std::uint64_t> count_start = {};  // the service's own count, if it sends one
    std::optional<std::uint64_t> count_end = {};
    std::uint64_t pages = 0;
    std::uint64_t requests = 0;
    std::string reasons = {};              // of the requests: {"page":12,"closing":1}
    std::optional<Instant> late_at = {};   // when the table is late unless published again; default as_of + late_after
    std::optional<Instant> next_due = {};  // when the next pass is planned
    std::optional<Instant> changes_from = {};  // all earlier changes are in the table; empty: unchanged
    bool whole = true;                         // the walk was over the whole list
    bool keys_tell = true;                     // false: later walks must not be compared with the keys of this one
    bool is_unvouched = false;  // complete, but the token may have been invalid: rows that it lacks are held
    // Not complete, because it takes too many rows of other windows: their proofs and that of this window end.
    bool takes_rows = false;
    std::optional<RoundProgress> round = {};  // set if this slice ends a round
};

// Rows of a window that the table has in other windows.
struct TakenRows {
    std::uint64_t rows = 0;
    std::uint64_t of = 0;   // all rows of the walk
    bool are_many = false;  // so many that two rows of different windows may have the same key
};

// What publishing a pass would do to rows that the table has.
struct ValueLoss {
    bool members = false;  // some would lose members
    bool many = false;     // many would change
    bool any() const { return members || many; }
};

struct PublishOutcome {
    std::uint64_t rows = 0;  // in the table now
    std::uint64_t added = 0;
    std::uint64_t changed = 0;
    std::uint64_t unchanged = 0;
    std::uint64_t deleted = 0;
    std::uint64_t candidates = 0;  // absent from this pass, still in the table; deleted if the next one confirms it
    std::uint64_t held = 0;        // absent, and kept until a person decides: the list hides rows
    std::uint64_t drifted = 0;     // members of another type than their column, kept exactly
};

// A row of the table that the walk did not meet.
struct MissingRow {
    enum class Standing { missing, held, kept };  // kept: a person decided that it stays, though it is not listed
    std::string key = {};                         // as JSON text
    std::string address = {};                     // its own address, as the service sent it; "" = none
    Standing standing = Standing::missing;
};

// The service's answer to the request for one missing row.
enum class Witness {
    gone,   // there is none: it was deleted
    there,  // the item: the list hides it, it was not deleted
    none,   // neither
};

}  // namespace shelfd::mirror
