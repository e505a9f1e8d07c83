// What passes for changes should have brought, by the own dates of the rows that a walk over a whole list finds
// changed.
#pragma once

#include "base/instant.hpp"
#include "mirror/rows/changes_between.hpp"
#include "schedule/windows.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::sync {

// A row whose date does not tell by itself whether it changed before such a pass or behind it: the service is asked
// once more, for what changed since then.
struct UnsureChange {
    std::string key;        // JSON text
    std::string value;      // its date
    Instant at;             // the first moment that it can mean, by the clocks of the library's zone
    std::string list = {};  // of lists by parent: the parent's key

    friend bool operator==(const UnsureChange&, const UnsureChange&) = default;
};

struct NotBrought {
    std::string certain = {};               // in words, "row 7 has the modified_date …"; "" = none is
    std::vector<UnsureChange> unsure = {};  // a few; none where one is certain, which is enough

    // Of another list by the same filter.
    void add(const NotBrought& other);
};

// Pure values but for the zone. Must not be moved while its `watch` is in use.
class Unbrought {
public:
    struct Times {
        Instant whole;        // when the walk over the whole list before this one began: what is new, changed later
        Instant asked;        // when the last pass for changes began
        Duration reach;       // how far those reach back: so late a change may become visible
        Duration resolution;  // of the dates
    };

    // `zone` is that of the clocks whose time the service shows where it names none. A day, or a time without a zone,
    // is never taken for more than it tells: the clocks may be those of any zone.
    Unbrought(std::string member, Times times, const std::string& zone);

    void take(const mirror::DatedChange& row);
    mirror::DateWatch watch();

    // What changed before those passes asked: for certain, or perhaps. `list`: see UnsureChange.
    NotBrought found(const std::string& list) const;

private:
    std::string member_;
    Times times_;
    std::optional<schedule::Windows> clocks_;
    std::string certain_;
    std::vector<UnsureChange> unsure_;
};

// "row 7 has the modified_date 2026-01-05"
std::string describe_change(std::string_view key, std::string_view member, std::string_view value);

}  // namespace shelfd::sync
