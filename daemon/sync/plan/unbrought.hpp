// Finds changes that incremental passes should have returned, by the dates of rows that a full walk finds changed.
#pragma once

#include "base/instant.hpp"
#include "mirror/rows/dated_changes.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shelfd::sync {

// A row whose date does not show whether it changed before or after such a pass; the service is asked again.
struct UnsureChange {
    std::string key;        // JSON text
    std::string value;      // its date
    Instant asked;          // when the last incremental pass began, which would have brought an earlier change
    std::string list = {};  // for lists by parent: the parent's key

    friend bool operator==(const UnsureChange&, const UnsureChange&) = default;
};

// What such a walk shows about the incremental passes before it.
struct Unbrought {
    std::string certain = {};               // a description, "row 7 has the modified_date …"; "" = none
    std::vector<UnsureChange> unsure = {};  // a few; none if `certain` is set, which is enough
    // Why none of the rows that changed could be judged, "row 7 has the modified_date soon"; "" = one could, or none
    // has changed.
    std::string undated = {};

    // Adds the result of another list with the same filter.
    void add(const Unbrought& other);
};

// Pure. Must not be moved while its `watch` is in use.
class UnbroughtSearch {
public:
    struct Times {
        Instant whole;        // when the previous walk over the whole list began: what is new to this one changed later
        Instant asked;        // when the last incremental pass began
        Duration reach;       // how far such passes reach back: changes may become visible with this delay
        Duration resolution;  // of the dates
    };

    // A day, or a time without a zone, counts as uncertain by all zones: which one the service's filter takes it for is
    // unknown, too.
    UnbroughtSearch(std::string member, Times times) : member_(std::move(member)), times_(times) {}

    void take(const mirror::DatedChange& row);
    mirror::DateWatch watch();

    // Changes from before those passes, certain or possible. `list`: see UnsureChange.
    Unbrought found(const std::string& list) const;

private:
    std::string member_;
    Times times_;
    std::string certain_;
    std::vector<UnsureChange> unsure_;
    std::string undated_;    // the first row without a readable date
    bool has_date_ = false;  // one of the rows has one
};

// Example: "row 7 has the modified_date 2026-01-05".
std::string describe_change(std::string_view key, std::string_view member, std::string_view value);

}  // namespace shelfd::sync
