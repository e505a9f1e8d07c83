// Pieces of SQL about the states of rows: a table beside each resource, with the parts of the key as k1, k2 …
#pragma once

#include "base/result.hpp"
#include "mirror/names.hpp"
#include "mirror/resource_facts.hpp"
#include "storage/sqlite.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace shelfd::mirror {

// `each` once for each part of a key, with its number from 1 on for {}: "k1, k2".
std::string key_list(std::size_t size, std::string_view each);

// The count that `sql` asks for; 0 where it finds no row.
Result<std::uint64_t> one_number(storage::Database& database, const std::string& sql);

inline std::string states_of(const ResourceFacts& facts)
{
    return identifier(state_name(facts.name));
}

}  // namespace shelfd::mirror
