// Slices of a table: windows of a ledger, lists by parent. Each has its own proof, deletions and freshness.
#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd::mirror {

// Replaces the digest of keys of a walk during which rows moved: its keys prove nothing about later walks.
inline constexpr std::string_view keys_of_moved_walk = "moved";
// The end of an unbounded window: the first second of the year 10000, after the place of any row.
inline constexpr std::int64_t behind_all = 253'402'300'800;

// Each row of a sliced table has a place, a whole number: in a ledger the second at which it happened, in lists by
// parent the number of the parent. A slice is a half-open range of places, and the scope of one pass.
struct Slice {
    std::string name = {};  // for people: "2024-02-29", or the parent's key as JSON
    std::int64_t first = 0;
    std::int64_t past = 0;
    std::string field = {};  // member that contains a row's place; "": all rows of the pass belong to this slice
    // Converts the text of that member (without quotes) to a place; an empty optional if it has none.
    std::function<std::optional<std::int64_t>(std::string_view)> place_of = {};
    // List by parent: the member that each row gets, and its JSON value. The mirror sets `first` and `past` itself.
    std::string member = {};
    std::string value = {};
    bool open = false;  // rows after the end may be included; they belong to other slices

    bool is_list_by_parent() const { return !member.empty(); }
    bool holds(std::int64_t place) const { return place >= first && place < past; }
    // False if a row known at place `known`, and now met at `met`, has moved into the slice from elsewhere.
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
    std::optional<Instant> as_of = {};         // of the last walk; empty: rows moved into it since
    std::optional<Instant> proven_as_of = {};  // of the last proven walk
    std::string key_set = {};                  // of the last whole walk, as PageFacts::key_set, or keys_of_moved_walk
    std::uint64_t rows = 0;
    // By our clock; empty = never.
    std::optional<Instant> asked_at = {};     // last request with a definitive answer
    std::optional<Instant> compared_at = {};  // last walk that compared rows with their items; not loaded
    // For lists by parent.
    std::optional<Instant> whole_at = {};      // the same for the last walk over the whole list
    std::optional<Instant> changes_from = {};  // the service's time; all earlier changes are here
    std::string why = {};                      // list: why its last walk failed; window: why rows wait for a second
                                               // witness; for people
    // For windows.
    std::int64_t proof_number = 0;  // see departed_rows.hpp; 0 = none
    bool sought = false;            // rows left other windows since its proof, and may be in this one
    // Its current problem, for people; list: why its last whole walk did not prove it; "" = none.
    std::string trouble = {};

    friend bool operator==(const SliceFacts&, const SliceFacts&) = default;
};

// The current problem of a window, or of a list by parent; "" = none.
struct SliceTrouble {
    std::string name = {};
    std::int64_t first = 0;
    std::int64_t past = 0;
    std::string why = {};
};

}  // namespace shelfd::mirror
