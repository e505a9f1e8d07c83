// What the mirror knows about a resource between two passes: its row in `_resources`.
#pragma once

#include "base/result.hpp"
#include "mirror/values/specs.hpp"
#include "mirror/values/standing.hpp"
#include "mirror/values/state_shape.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::mirror {

struct ResourceFacts {
    std::string name;
    std::vector<std::string> key;
    std::uint64_t rows = 0;
    std::uint64_t candidates = 0;
    std::uint64_t held = 0;  // rows in `_held` that wait for a decision
    std::uint64_t kept = 0;  // rows in `_held` that were decided to stay
    std::int64_t next_ordinal = 0;
    std::optional<bool> integer_key;  // empty until the first item was seen
    bool published = false;           // for details: their first load is complete
    std::string detail_of;            // the resource whose details these are; "" = a list
    std::string axis;                 // sliced table: what determines a row's place; "" = not sliced
    std::optional<Instant> as_of;     // of the last publication or round of slices
    std::optional<Instant> proven_as_of;
    std::optional<Instant> compared_at;  // see row_comparison.hpp; not of a sliced table
    Instant declared_at;

    StateShape state_shape() const { return {key.size(), integer_key.value_or(false), !axis.empty()}; }
};

// Returns an empty optional for a resource that was never declared.
Result<std::optional<ResourceFacts>> load_facts(storage::Database& database, const std::string& resource);

Result<void> save_state(storage::Database& database, const std::string& resource, const ResourceState& state,
                        Instant now);
Result<std::optional<ResourceSummary>> summarise(storage::Database& database, const std::string& resource);

// Behind the newest line of the feed, and behind the loads after it that have no lines.
Result<std::string> newest_position(storage::Database& database);

// Returns seconds, rounded up; an empty optional for zero.
std::optional<std::int64_t> whole_seconds(Duration duration);

// Sets `facts.held` and `facts.kept` from `_held`.
Result<void> count_held(storage::Database& database, ResourceFacts& facts);

}  // namespace shelfd::mirror
