// The members that tools get wrong: numbers beyond their types, times in every form, keys that collide.
#pragma once

#include "sim/json.hpp"
#include "sim/random.hpp"

namespace shelfd::sim {

// Adds to the `number`-th row of a list. Which row gets what follows from `number` alone for the rare values, so that
// a list of 50 rows has them all.
void add_awkward_values(Json& item, Random& random, std::size_t number);

}  // namespace shelfd::sim
