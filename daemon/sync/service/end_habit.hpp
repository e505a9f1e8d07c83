// What was learned of how a list answers when it is asked for more than one page.
#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace shelfd::sync {

// How a list answers when it is asked further.
enum class Further {
    unknown,      // nobody has asked so far
    page,         // the next page by its number; the first one is 1
    page_from_0,  // likewise, and the first one is 0
    offset,       // the rows behind so many
    page_size,    // a longer page
    none,         // nothing more comes: what one answer brings is the list
    cut,          // there is more, and nothing that is asked for brings it
};

// What was learned of that; remembered with the resource.
struct EndHabit {
    Further further = Further::unknown;
    std::uint64_t whole_rows = 0;        // an answer of so many rows, or fewer, was seen to be all of its list; of one
                                         // that is cut: so many are what it gives
    std::optional<Instant> tried_at;     // when everything was tried; as little as `further` known from before
    std::uint64_t whole_rows_today = 0;  // as `whole_rows`, shown in this round; not remembered

    friend bool operator==(const EndHabit&, const EndHabit&) = default;
};

const char* to_string(Further further);
// `unknown` for any other word.
Further further_from(std::string_view word);

}  // namespace shelfd::sync
