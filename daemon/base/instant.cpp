#include "base/instant.hpp"

#include "base/words/digits.hpp"

#include <array>
#include <cctype>

#include <fmt/core.h>

namespace shelfd {
namespace {

struct Civil {
    std::int64_t year;
    unsigned month, day, hour, minute, second;
};

std::int64_t days_of(std::int64_t year, unsigned month, unsigned day)
{
    using namespace std::chrono;
    const auto date = std::chrono::year(static_cast<int>(year)) / static_cast<int>(month) / static_cast<int>(day);
    return sys_days(date).time_since_epoch().count();
}

bool is_date(std::int64_t year, unsigned month, unsigned day)
{
    return (std::chrono::year(static_cast<int>(year)) / static_cast<int>(month) / static_cast<int>(day)).ok();
}

Civil civil_of(std::int64_t seconds)
{
    using namespace std::chrono;
    const sys_seconds point{std::chrono::seconds(seconds)};
    const auto day = floor<days>(point);
    const year_month_day date(day);
    const hh_mm_ss time(point - day);
    return {static_cast<int>(date.year()),
            static_cast<unsigned>(date.month()),
            static_cast<unsigned>(date.day()),
            static_cast<unsigned>(time.hours().count()),
            static_cast<unsigned>(time.minutes().count()),
            static_cast<unsigned>(time.seconds().count())};
}

// Reads exactly `digits` digits and advances `text`; false when `text` does not begin with them.
bool read_number(std::string_view& text, std::size_t digits, unsigned& value)
{
    if (text.size() < digits) {
        return false;
    }
    value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
        value = value * 10 + static_cast<unsigned>(text[i] - '0');
    }
    text.remove_prefix(digits);
    return true;
}

bool skip(std::string_view& text, std::string_view expected)
{
    if (text.substr(0, expected.size()) != expected) {
        return false;
    }
    text.remove_prefix(expected.size());
    return true;
}

bool skip(std::string_view& text, char expected)
{
    if (text.empty() || text.front() != expected) {
        return false;
    }
    text.remove_prefix(1);
    return true;
}

std::optional<Instant> make_instant(const Civil& c, std::int64_t micros)
{
    // RFC 3339 has a year 0, but services send it only for a date that was never set.
    if (c.year < 1 || !is_date(c.year, c.month, c.day) || c.hour > 23 || c.minute > 59 || c.second > 59) {
        return std::nullopt;
    }
    const auto seconds = days_of(c.year, c.month, c.day) * 86'400 + c.hour * 3'600 + c.minute * 60 + c.second;
    return Instant::from_micros(seconds * 1'000'000 + micros);
}

constexpr std::array<std::string_view, 12> month_names = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

bool read_month(std::string_view& text, unsigned& month)
{
    for (unsigned i = 0; i < month_names.size(); ++i) {
        if (skip(text, month_names[i])) {
            month = i + 1;
            return true;
        }
    }
    return false;
}

bool read_clock(std::string_view& text, Civil& c)
{
    return read_number(text, 2, c.hour) && skip(text, ':') && read_number(text, 2, c.minute) && skip(text, ':') &&
           read_number(text, 2, c.second);
}

// The offset in minutes: "02:00"; also "0200" and "02", as in ISO 8601 and `strftime %z`.
std::optional<std::int64_t> read_offset(std::string_view& text)
{
    unsigned hours = 0;
    unsigned minutes = 0;
    if (!read_number(text, 2, hours)) {
        return std::nullopt;
    }
    const bool has_colon = skip(text, ':');
    if ((has_colon || !text.empty()) && !read_number(text, 2, minutes)) {
        return std::nullopt;
    }
    return hours > 23 || minutes > 59 ? std::nullopt : std::optional<std::int64_t>(hours * 60 + minutes);
}

void write_number(char* end, std::size_t digits, std::uint64_t value)
{
    for (; digits > 0; --digits, value /= 10) {
        *--end = static_cast<char>('0' + value % 10);
    }
}

// Written by hand: a load formats one or two times for each row, and fmt took 4 % of its time (measured).
std::string text_of(const Civil& c)
{
    if (c.year < 0 || c.year > 9999) {
        return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", c.year, c.month, c.day, c.hour, c.minute, c.second);
    }
    std::string text = "0000-00-00T00:00:00";
    char* const begin = text.data();
    write_number(begin + 4, 4, static_cast<std::uint64_t>(c.year));
    write_number(begin + 7, 2, c.month);
    write_number(begin + 10, 2, c.day);
    write_number(begin + 13, 2, c.hour);
    write_number(begin + 16, 2, c.minute);
    write_number(begin + 19, 2, c.second);
    return text;
}

}  // namespace

std::string Instant::to_text() const
{
    auto text = text_of(civil_of(seconds()));
    text += ".000000Z";
    write_number(text.data() + text.size() - 1, 6, static_cast<std::uint64_t>(micros_ - seconds() * 1'000'000));
    return text;
}

std::string Instant::to_short_text() const
{
    return text_of(civil_of(seconds())) + "Z";
}

std::optional<Instant> Instant::from_rfc3339(std::string_view text)
{
    Civil c{};
    unsigned year = 0;
    if (!read_number(text, 4, year) || !skip(text, '-') || !read_number(text, 2, c.month) || !skip(text, '-') ||
        !read_number(text, 2, c.day) || !skip(text, 'T') || !read_clock(text, c)) {
        return std::nullopt;
    }
    c.year = year;
    std::int64_t micros = 0;
    if (skip(text, '.')) {
        std::int64_t unit = 100'000;
        bool any = false;
        while (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0) {
            micros += (text.front() - '0') * unit;
            unit /= 10;
            any = true;
            text.remove_prefix(1);
        }
        if (!any) {
            return std::nullopt;
        }
    }
    std::int64_t offset_minutes = 0;
    if (!skip(text, 'Z')) {
        const bool west = skip(text, '-');
        if (!west && !skip(text, '+')) {
            return std::nullopt;
        }
        const auto minutes = read_offset(text);
        if (!minutes) {
            return std::nullopt;
        }
        offset_minutes = west ? -*minutes : *minutes;
    }
    if (!text.empty()) {
        return std::nullopt;
    }
    const auto local = make_instant(c, micros);
    if (!local) {
        return std::nullopt;
    }
    // Near the ends of the calendar an offset can move the time out of the years that fit the fixed width.
    const auto instant = *local - std::chrono::minutes(offset_minutes);
    constexpr std::int64_t first = -62'135'596'800;  // 0001-01-01T00:00:00Z
    constexpr std::int64_t last = 253'402'300'799;   // 9999-12-31T23:59:59Z
    return instant.seconds() >= first && instant.seconds() <= last ? std::optional(instant) : std::nullopt;
}

std::optional<Instant> Instant::from_http_date(std::string_view text)
{
    const auto comma = text.find(',');
    Civil c{};
    unsigned year = 0;
    if (comma == std::string_view::npos) {  // asctime: "Sun Nov  6 08:49:37 1994"
        if (text.size() < 4) {
            return std::nullopt;
        }
        text.remove_prefix(4);
        if (!read_month(text, c.month) || !skip(text, ' ')) {
            return std::nullopt;
        }
        const bool padded = skip(text, ' ');
        if (!read_number(text, padded ? 1 : 2, c.day) || !skip(text, ' ') || !read_clock(text, c) || !skip(text, ' ') ||
            !read_number(text, 4, year) || !text.empty()) {
            return std::nullopt;
        }
        c.year = year;
        return make_instant(c, 0);
    }
    const bool full_day_name = comma > 3;  // RFC 850: "Sunday, 06-Nov-94 08:49:37 GMT"
    const std::string_view separator = full_day_name ? "-" : " ";
    text.remove_prefix(comma + 1);
    if (!skip(text, ' ') || !read_number(text, 2, c.day) || !skip(text, separator) || !read_month(text, c.month) ||
        !skip(text, separator) || !read_number(text, full_day_name ? 2 : 4, year) || !skip(text, ' ') ||
        !read_clock(text, c) || text != " GMT") {
        return std::nullopt;
    }
    // RFC 9110: a two-digit year that appears to be far in the future is in the past.
    c.year = full_day_name ? (year < 70 ? 2000 + year : 1900 + year) : year;
    return make_instant(c, 0);
}

namespace {

struct Unit {
    std::string_view name;
    Duration length;
};

constexpr std::array<Unit, 6> units = {{{"w", std::chrono::hours(24 * 7)},
                                        {"d", std::chrono::hours(24)},
                                        {"h", std::chrono::hours(1)},
                                        {"m", std::chrono::minutes(1)},
                                        {"s", std::chrono::seconds(1)},
                                        {"ms", std::chrono::milliseconds(1)}}};

}  // namespace

std::optional<Duration> parse_duration(std::string_view text)
{
    if (text.empty()) {
        return std::nullopt;
    }
    Duration total{0};
    std::size_t next_unit = 0;
    while (!text.empty()) {
        std::int64_t value = 0;
        std::size_t digits = 0;
        while (digits < text.size() && is_digit(text[digits]) && digits < 9) {
            value = value * 10 + (text[digits++] - '0');
        }
        text.remove_prefix(digits);
        std::size_t letters = 0;
        while (letters < text.size() && text[letters] >= 'a' && text[letters] <= 'z') {
            ++letters;
        }
        const auto name = text.substr(0, letters);
        text.remove_prefix(letters);
        std::size_t unit = next_unit;
        while (unit < units.size() && units[unit].name != name) {
            ++unit;
        }
        constexpr Duration longest = std::chrono::hours(24 * 366 * 1'000);  // of all parts together
        if (digits == 0 || unit == units.size() || value > (longest - total) / units[unit].length) {
            return std::nullopt;
        }
        total += value * units[unit].length;
        next_unit = unit + 1;
    }
    return total;
}

std::string format_duration(Duration duration)
{
    std::string text;
    for (const auto& unit : units) {
        if (unit.name == "w") {
            continue;  // "7d" is the form that people write
        }
        const auto count = duration / unit.length;
        if (count > 0) {
            text += fmt::format("{}{}", count, unit.name);
            duration -= count * unit.length;
        }
    }
    return text.empty() ? "0s" : text;
}

std::string describe_duration(Duration duration)
{
    using namespace std::chrono;
    const auto seconds = duration_cast<std::chrono::seconds>(duration).count();
    if (seconds < 120)
        return fmt::format("{} s", seconds);
    if (seconds < 7'200)
        return fmt::format("{} min", seconds / 60);
    if (seconds < 172'800)
        return fmt::format("{} h", seconds / 3'600);
    return fmt::format("{} d", seconds / 86'400);
}

}  // namespace shelfd
