// What was learned of how a list answers when it is asked for more than one page.
#pragma once

#include "base/instant.hpp"
#include "mirror/values/answers.hpp"

#include <cstdint>
#include <optional>

namespace shelfd::sync {

using mirror::Further;

// What was learned of that; remembered with the resource.
struct EndHabit {
    Further further = Further::unknown;
    std::uint64_t whole_rows = 0;     // an answer of so many rows, or fewer, was seen to be all of its list; of one
                                      // that is cut: so many are what it gives
    std::optional<Instant> tried_at;  // when everything was tried; as little as `further` known from before

    friend bool operator==(const EndHabit&, const EndHabit&) = default;
};

}  // namespace shelfd::sync
