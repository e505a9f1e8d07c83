// Dates and instants as the service writes them, and the one form in which the mirror keeps them.
#pragma once

#include "base/instant.hpp"
#include "storage/sqlite.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd::mirror {

// "YYYY-MM-DDTHH:MM:SS.ffffffZ": as wide for all, so that the order of the text is the order of time.
using InstantText = std::array<char, 27>;

enum class InstantFit {
    none,   // no instant, or one outside the years 1 to 9999
    exact,  // `out` is the same instant
    cut,    // `out` lacks what stood behind the sixth digit of the second
};

// Takes RFC 3339 date-times with an offset or Z; naive times are no instants.
InstantFit normalise_instant(std::string_view text, InstantText& out);

// A day of the calendar, "2024-02-29".
bool is_date(std::string_view text);

// The instant that a column of ours holds; nothing for NULL.
std::optional<Instant> instant_in(const storage::Statement& row, int column);
// The text for it; nothing = NULL.
std::optional<std::string> text_of(const std::optional<Instant>& at);

}  // namespace shelfd::mirror
