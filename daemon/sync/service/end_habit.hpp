// What is known about how a list answers requests for more than one page.
#pragma once

#include "base/instant.hpp"
#include "mirror/values/answers.hpp"

#include <cstdint>
#include <optional>

namespace shelfd::sync {

using mirror::Further;

// Stored with the resource.
struct EndHabit {
    Further further = Further::unknown;
    std::uint64_t whole_rows = 0;     // an answer of at most this many rows was shown to be the whole list; of a list
                                      // that is cut: the rows that it returns
    std::optional<Instant> tried_at;  // when all ways were last tried; empty if only `further` is known

    friend bool operator==(const EndHabit&, const EndHabit&) = default;
};

}  // namespace shelfd::sync
