// Pieces of SQL about the states of rows: a table beside each resource, with the parts of the key as k1, k2 …
#pragma once

#include "mirror/names.hpp"
#include "mirror/resource_facts.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace shelfd::mirror {

// `each` once for each part of a key, with its number from 1 on for {}: "k1, k2".
std::string key_list(std::size_t size, std::string_view each);

inline std::string states_of(const ResourceFacts& facts)
{
    return identifier(state_name(facts.name));
}

}  // namespace shelfd::mirror
