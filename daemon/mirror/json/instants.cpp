#include "mirror/json/instants.hpp"

#include "base/instant.hpp"
#include "base/words/digits.hpp"

#include <algorithm>

namespace shelfd::mirror {

namespace {

// Returns two digits at `at`, or -1.
int two(std::string_view text, std::size_t at)
{
    return is_digit(text[at]) && is_digit(text[at + 1]) ? (text[at] - '0') * 10 + (text[at + 1] - '0') : -1;
}

bool in_range(int value, int low, int high)
{
    return value >= low && value <= high;
}

int days_of(int year, int month)
{
    constexpr std::array<int, 12> days = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : days[static_cast<std::size_t>(month - 1)];
}

// Number of digits after the point at 19; 0 without a point.
std::size_t fraction_digits(std::string_view text)
{
    if (text[19] != '.') {
        return 0;
    }
    const auto* end = std::find_if_not(text.begin() + 20, text.end(), is_digit);
    return static_cast<std::size_t>(end - text.begin()) - 20;
}

// The form of nearly all values: UTC, ends in Z, at most six digits. Needs no arithmetic.
bool normalise_utc(std::string_view text, InstantText& out)
{
    const auto digits = fraction_digits(text);
    const auto end = digits == 0 ? 19 : 20 + digits;
    const bool fits = digits <= 6 && (digits > 0 || text[19] == 'Z') && text.size() == end + 1 && text[end] == 'Z' &&
                      text[10] == 'T' && text[13] == ':' && text[16] == ':' && in_range(two(text, 11), 0, 23) &&
                      in_range(two(text, 14), 0, 59) && in_range(two(text, 17), 0, 59);
    if (!fits) {
        return false;
    }
    out.fill('0');
    std::copy_n(text.begin(), end, out.begin());
    out[19] = '.';
    out[26] = 'Z';
    return true;
}

}  // namespace

bool is_date(std::string_view text)
{
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') {
        return false;
    }
    const int century = two(text, 0);
    const int year = century < 0 || two(text, 2) < 0 ? 0 : century * 100 + two(text, 2);
    const int month = two(text, 5);
    return year > 0 && in_range(month, 1, 12) && in_range(two(text, 8), 1, days_of(year, month));
}

InstantFit normalise_instant(std::string_view text, InstantText& out)
{
    if (text.size() < 20 || !is_date(text.substr(0, 10))) {
        return InstantFit::none;
    }
    if (normalise_utc(text, out)) {
        return InstantFit::exact;
    }
    const auto instant = Instant::from_rfc3339(text);
    const std::string normal = instant ? instant->to_text() : "";
    // The offset may move the instant out of the years of four digits.
    if (normal.size() != out.size() || !is_date(std::string_view(normal).substr(0, 10))) {
        return InstantFit::none;
    }
    std::copy(normal.begin(), normal.end(), out.begin());
    return fraction_digits(text) > 6 ? InstantFit::cut : InstantFit::exact;
}

std::optional<Instant> instant_in(const storage::Statement& row, int column)
{
    return row.is_null(column) ? std::nullopt : Instant::from_rfc3339(row.text(column));
}

std::optional<std::string> text_of(const std::optional<Instant>& at)
{
    return at ? std::optional(at->to_text()) : std::nullopt;
}

}  // namespace shelfd::mirror
