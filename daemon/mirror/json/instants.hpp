// Dates and instants as services write them, and the one form in which the mirror stores them.
#pragma once

#include "base/instant.hpp"
#include "storage/sqlite.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd::mirror {

// "YYYY-MM-DDTHH:MM:SS.ffffffZ": of fixed width, so that texts sort by time.
using InstantText = std::array<char, 27>;

enum class InstantFit {
    none,   // not an instant, or outside the years 1 to 9999
    exact,  // `out` is the same instant
    cut,    // `out` lacks the digits after the sixth decimal of the second
};

// Accepts RFC 3339 date-times with an offset or Z. A time without a zone is not an instant.
InstantFit normalise_instant(std::string_view text, InstantText& out);

// True for a calendar date, "2024-02-29".
bool is_date(std::string_view text);

// The instant in a column of ours; an empty optional for NULL.
std::optional<Instant> instant_in(const storage::Statement& row, int column);
// The text for such a column; an empty optional for NULL.
std::optional<std::string> text_of(const std::optional<Instant>& at);

}  // namespace shelfd::mirror
