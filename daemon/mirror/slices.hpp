// Slices of a table: windows of a ledger, lists by parent. Each has its proof, its deletions and its freshness.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::mirror {

struct ResourceFacts;

// Instead of a digest: rows changed their places while that walk went on, so that its keys prove nothing of later ones.
inline constexpr std::string_view keys_of_moved_walk = "moved";

// Every row of a sliced table has a place, a whole number: in a ledger the second at which the row happened, in lists
// by parent the number of the parent. A slice is a half-open range of places, and all that one pass is about.
struct Slice {
    std::string name = {};  // for people: "2024-02-29", or the parent's key as JSON
    std::int64_t first = 0;
    std::int64_t past = 0;
    std::string field = {};  // the member that tells a row's place; "": all the pass meets belong to this slice
    // The place of a row with such a text there (without its quotes). nothing for what has none.
    std::function<std::optional<std::int64_t>(std::string_view)> place_of = {};
    // Of a list by parent: a member that each row gets, and its value as JSON. First and past are the mirror's then.
    std::string member = {};
    std::string value = {};
    bool open = false;  // rows behind the end may come along: they belong to slices of their own

    bool is_list_by_parent() const { return !member.empty(); }
    bool holds(std::int64_t place) const { return place >= first && place < past; }
    // Whether a row that is known to lie at `known`, and is met at `met` now, came into the slice from nowhere else.
    bool expects(std::int64_t known, std::optional<std::int64_t> met) const
    {
        return holds(known) || (open && known >= past && met && *met >= past);
    }
};

// What is known about a slice that was walked.
struct SliceFacts {
    std::string name = {};
    std::int64_t first = 0;
    std::int64_t past = 0;
    std::optional<Instant> as_of = {};         // of the last walk; nothing: rows moved into it since
    std::optional<Instant> proven_as_of = {};  // of the last one that was proven
    std::string key_set = {};                  // of the last whole one, as PageFacts::key_set, or keys_of_moved_walk
    std::uint64_t rows = 0;
    // Our clock; nothing: never.
    std::optional<Instant> asked_at = {};  // when the service was last asked, and answered for good
    // Of lists by parent.
    std::optional<Instant> whole_at = {};      // the same of the last look at the whole list
    std::optional<Instant> changes_from = {};  // the service's time: what changed before it is here
    std::string why = {};                      // of a list: it could not be walked when last tried; of a window: rows
                                               // of it wait for a second witness; for people
    // Of windows.
    std::int64_t proof_number = 0;  // see departed_rows.hpp; 0: none
    bool sought = false;            // rows left other windows since it was proven, and may be in this one

    friend bool operator==(const SliceFacts&, const SliceFacts&) = default;
};

// In the order of their places.
Result<std::vector<SliceFacts>> load_slices(storage::Database& database, const std::string& resource);

// The rest in the caller's transaction.

// Replaces what is known of this slice, and of all that lie within it. `run_id` proved it if `facts` says so. Digest
// and look at the whole stay where `facts` has none.
Result<void> save_slice(storage::Database& database, const std::string& resource, const SliceFacts& facts,
                        const std::string& run_id);
// Rows turned up at this place, or may have: the slices it lies in want another walk.
Result<bool> has_slice(storage::Database& database, const std::string& resource, std::int64_t place);
Result<void> doubt_slices(storage::Database& database, const std::string& resource, std::int64_t place);
// Whether any slice that was walked has a place in common with this one.
Result<bool> is_known(storage::Database& database, const std::string& resource, const Slice& slice);

// Whether the whole of this list by parent was walked.
Result<bool> was_whole(storage::Database& database, const std::string& resource, const Slice& slice);

// From when to when a ledger is known to be complete, up to the newest proof, without a gap.
struct Completeness {
    std::optional<Instant> from;
    std::optional<Instant> to;
};
// Pure. `slices` in the order of their places, which are seconds.
Completeness complete_range(const std::vector<SliceFacts>& slices);
Result<void> save_completeness(storage::Database& database, const std::string& resource);

struct Page;
// Errors: config, with the row and its place in the text, for one that does not belong to the slice.
Result<void> check_places(const Page& page, const Slice& slice);
// The place of an item by itself; nothing when it tells none.
std::optional<std::int64_t> place_of(std::string_view item, const Slice& slice);

// What the first item of an array has there, without quotes; "" when it has no such member. nothing: no item.
std::optional<std::string> first_member(std::string_view items, const std::string& name);

// " AND place >= … AND place < …", for conditions on the states of rows; "" without a slice.
std::string within(const std::optional<Slice>& slice);

}  // namespace shelfd::mirror
