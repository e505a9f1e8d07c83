// How the states of a table's rows are kept.
#pragma once

#include <cstddef>

namespace shelfd::mirror {

// How the states of a table's rows are kept.
struct StateShape {
    std::size_t key_size = 1;
    bool integer_keys = false;  // one whole number in every row
    bool placed = false;        // each row has a place, for its table is sliced
};

}  // namespace shelfd::mirror
