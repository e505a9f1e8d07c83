// Slices of a table: windows of a ledger, lists by parent. Each has its proof, its deletions and its freshness.
#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd::mirror {

// Instead of a digest: rows changed their places while that walk went on, so that its keys prove nothing of later ones.
inline constexpr std::string_view keys_of_moved_walk = "moved";
// The end of a window that holds all that comes: the first second of the year 10000, behind every place of a row.
inline constexpr std::int64_t behind_all = 253'402'300'800;

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
    std::string trouble = {};       // why it is not as it should be, for people; "" = it is

    friend bool operator==(const SliceFacts&, const SliceFacts&) = default;
};

// Of a window: why it is not as it should be; "" = it is.
struct SliceTrouble {
    std::string name = {};
    std::int64_t first = 0;
    std::int64_t past = 0;
    std::string why = {};
};

}  // namespace shelfd::mirror
