// Rows made from a seed, with every value that has ever broken a mirror among them.
#pragma once

#include "base/instant.hpp"
#include "sim/json.hpp"

#include <cstdint>
#include <string_view>

namespace shelfd::sim {

// When the n-th of so many rows was created: spread over 2023 and 2024, one after the other.
Instant seeded_date(std::size_t number, std::size_t rows);

// One item of the list at `path`, the `number`-th counted from the oldest. The same arguments give the same bytes.
Json seeded_item(std::string_view path, std::uint64_t seed, std::int64_t id, std::size_t number, Instant created);

// The expensive members that only a recipe's own address shows.
void add_recipe_detail(Json& item, std::uint64_t seed, std::int64_t id);

}  // namespace shelfd::sim
