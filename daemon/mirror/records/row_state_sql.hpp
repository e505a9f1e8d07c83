// Pieces of SQL about the states of rows: a table beside each resource, with the parts of the key as k1, k2 …
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

// `each` once for each part of a key, with its number from 1 on for {}: "k1, k2".
std::string key_list(std::size_t size, std::string_view each, std::string_view between = ", ");

// The condition that a row of the states has the key that is bound from parameter 1 on.
std::string key_is(const ResourceFacts& facts);

// Rows of a whole table that are missed, and those that are held or kept, in the words of the index that sliced tables
// have for them: there are few, and a table of thousands of lists looks for them with each list.
inline constexpr std::string_view missed_rows = "missed <> 0 AND missed > 0";
inline constexpr std::string_view held_rows = "missed <> 0 AND missed < 0";

// A sliced table is looked into by the places of its rows, and for rows that are missed. Made where it is not there.
Result<void> index_states(storage::Database& database, const ResourceFacts& facts);

inline std::string states_of(const ResourceFacts& facts)
{
    return identifier(state_name(facts.name));
}

}  // namespace shelfd::mirror
