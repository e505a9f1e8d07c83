// How the states of a table's rows are stored.
#pragma once

#include <cstddef>

namespace shelfd::mirror {

// How the states of a table's rows are stored.
struct StateShape {
    std::size_t key_size = 1;
    bool integer_keys = false;  // each key is one whole number
    bool placed = false;        // each row has a place, because its table is sliced
};

}  // namespace shelfd::mirror
