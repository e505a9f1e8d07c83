// What is known about how a list answers requests for more than one page, and what that says about an answer.
#pragma once

#include "base/instant.hpp"
#include "mirror/values/answers.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace shelfd::sync {

using mirror::Further;

// Stored with the resource.
struct EndHabit {
    Further further = Further::unknown;
    // A list in one answer: the longest that was shown to be whole. A list in pages: one row less than a full page; 0 =
    // a short page may be followed by more. A list that is cut: the most rows that it returned.
    std::uint64_t whole_rows = 0;
    std::optional<Instant> tried_at;  // when all ways were last tried; empty if only `further` is known

    friend bool operator==(const EndHabit&, const EndHabit&) = default;
};

// True if a further page or further rows can be requested.
bool is_paged(const EndHabit& habit);
bool is_uneven(const EndHabit& habit);
// True for the page sizes that services usually have: the requested one, multiples of 10 or 25, powers of 2.
bool is_usual_length(std::uint64_t rows, std::uint64_t page_size);
// True if a service may have cut its answer at this number of rows. Any number is possible, but one below 5 is not
// believed of a list that obeys no request for more.
bool may_be_cut(std::uint64_t rows, std::uint64_t page_size);

// An answer that does not say whether the list ends with it.
struct OpenAnswer {
    std::uint64_t items = 0;
    std::uint64_t page_size = 0;  // rows requested for each page
    bool is_one_of_many = false;  // lists by parent and windows share a habit
    bool can_be_reversed = false;
    // The whole table was requested, newest key first, and came so; it begins with new rows, if any, and ends with
    // known ones. Rows after it would be missing from the answer, unless they have lower keys than all others.
    bool is_on_top = false;
};

enum class EndVerdict {
    whole,
    may_lack,  // nothing can show that the list has no more rows
    ask,       // only requests for more can tell
};

// Decides without a request. `lacks`: whether rows of the table are missing from the answer.
EndVerdict judge_end(const EndHabit& habit, const OpenAnswer& answer, const std::function<bool()>& lacks);

// What the search for the end of a list has found, see EndSearch.
struct SearchedEnd {
    Further found = Further::unknown;
    std::uint64_t items = 0;  // rows of the first page
    bool is_counted = false;
    bool is_one_of_many = false;
    bool looked_anew = false;
    bool brought = false;       // a request returned new rows
    bool was_uneven = false;    // a page shorter than another one was not the last
    std::uint64_t longest = 0;  // most rows of a page that was followed by more
};

EndHabit learned_from(const SearchedEnd& end, EndHabit habit);

}  // namespace shelfd::sync
