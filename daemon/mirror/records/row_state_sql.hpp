// Parts of SQL for the states of rows: a table for each resource, with the parts of the key as k1, k2 …
#pragma once

#include "base/result.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/values/names.hpp"
#include "storage/sqlite.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace shelfd::mirror {

// Repeats `each` for each part of a key, with its number from 1 for {}: "k1, k2".
std::string key_list(std::size_t size, std::string_view each, std::string_view between = ", ");

// Condition for the key that is bound from parameter 1 on.
std::string key_is(const ResourceFacts& facts);

// Conditions for missed rows, and for held or kept ones, worded so that sliced tables can use their partial index:
// there are few such rows, and a table of thousands of lists looks for them with each list.
inline constexpr std::string_view missed_rows = "missed <> 0 AND missed > 0";
inline constexpr std::string_view held_rows = "missed <> 0 AND missed < 0";

// Creates the indexes of a sliced table, by place and for missed rows, if they do not exist.
Result<void> index_states(storage::Database& database, const ResourceFacts& facts);

inline std::string states_of(const ResourceFacts& facts)
{
    return identifier(state_name(facts.name));
}

}  // namespace shelfd::mirror
