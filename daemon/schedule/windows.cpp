#include "schedule/windows.hpp"

#include "base/words/digits.hpp"

#include <date/date.h>
#include <date/tz.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace shelfd::schedule {
namespace {

using Micros = std::chrono::microseconds;

constexpr auto day_length = std::chrono::hours(24);

// Returns the number; -1 if `text` is not digits only.
int digits_in(std::string_view text)
{
    int number = 0;
    const auto* end = text.data() + text.size();
    const bool digits = std::all_of(text.begin(), text.end(), is_digit);
    return digits && std::from_chars(text.data(), end, number).ptr == end ? number : -1;
}

std::optional<date::local_days> parse_day(std::string_view text)
{
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') {
        return std::nullopt;
    }
    const int year = digits_in(text.substr(0, 4));
    const int month = digits_in(text.substr(5, 2));
    const int day = digits_in(text.substr(8, 2));
    if (year < 1 || month < 1 || day < 1) {
        return std::nullopt;
    }
    const date::year_month_day found{date::year(year), date::month(static_cast<unsigned>(month)),
                                     date::day(static_cast<unsigned>(day))};
    return found.ok() ? std::optional(date::local_days(found)) : std::nullopt;
}

// Time since midnight of 1970-01-01 as the same clock shows it.
std::optional<Micros> shown_by_clocks(std::string_view text)
{
    constexpr std::size_t day_size = 10;
    if (text.size() <= day_size || !parse_day(text.substr(0, day_size))) {
        return std::nullopt;
    }
    std::string in_utc(text);
    in_utc[day_size] = in_utc[day_size] == ' ' ? 'T' : in_utc[day_size];
    const auto instant = Instant::from_rfc3339(in_utc + "Z");
    return instant ? std::optional(Micros(instant->micros())) : std::nullopt;
}

}  // namespace

bool is_day(std::string_view text)
{
    return parse_day(text).has_value();
}

bool is_clock_time(std::string_view text)
{
    return shown_by_clocks(text).has_value();
}

Result<Windows> Windows::load(std::string_view since, Duration step, const std::string& zone)
{
    const auto day = parse_day(since);
    const auto instant = Instant::from_rfc3339(since);
    if (!day && !instant) {
        return Error(ErrorKind::config, fmt::format("\"{}\" is neither a day nor an instant", since));
    }
    if (step < std::chrono::hours(1)) {
        return Error(ErrorKind::config, "a window must be at least an hour long");
    }
    const date::time_zone* found = nullptr;
    try {
        found = date::locate_zone(zone);
    } catch (const std::runtime_error&) {
        return Error(ErrorKind::config, fmt::format("the time zone \"{}\" is unknown on this machine", zone));
    }
    const std::int64_t days = step % day_length == Duration(0) ? step / day_length : 0;
    Windows windows(instant.value_or(Instant()), 0, days, step, found);
    windows.first_day_ = day ? day->time_since_epoch().count() : windows.local_day(*instant);
    if (days > 0 || day) {
        windows.first_ = windows.begin(windows.first_day_);
    }
    return windows;
}

// The first instant at which the clock shows this day, or a later day if it skips this one.
Instant Windows::begin(std::int64_t day) const
{
    return first_at(date::days(day));
}

Instant Windows::first_at(std::chrono::microseconds shown) const
{
    const date::local_time<Micros> local(shown);
    const auto info = zone_->get_info(local);
    const auto at = info.result == date::local_info::nonexistent
                        ? date::sys_time<Micros>(info.first.end)
                        : date::sys_time<Micros>(local.time_since_epoch() - info.first.offset);
    return Instant::from_micros(at.time_since_epoch().count());
}

std::int64_t Windows::local_day(Instant instant) const
{
    const auto local = zone_->to_local(date::sys_time<Micros>(Micros(instant.micros())));
    return date::floor<date::days>(local).time_since_epoch().count();
}

Window Windows::window(std::int64_t number) const
{
    if (days_ > 0) {
        const auto day = first_day_ + number * days_;
        return {number, begin(day), begin(day + days_)};
    }
    const auto from = first_ + step_ * number;
    return {number, from, from + step_};
}

Window Windows::at(Instant instant) const
{
    if (instant < first_) {
        return window(0);
    }
    if (days_ == 0) {
        return window((instant - first_) / step_);
    }
    auto found = window(std::max<std::int64_t>(0, (local_day(instant) - first_day_) / days_));
    // A clock that is set back across midnight shows the previous day again.
    while (found.to <= instant) {
        found = window(found.number + 1);
    }
    while (found.from > instant) {
        found = window(found.number - 1);
    }
    return found;
}

std::string Windows::day_of(Instant instant) const
{
    using namespace date::literals;
    // What texts can say: years of four digits.
    constexpr auto first = date::local_days(1_y / 1 / 1).time_since_epoch();
    constexpr auto last = date::local_days(9999_y / 12 / 31).time_since_epoch();
    const auto shown = std::clamp<date::days>(date::days(local_day(instant)), first, last);
    const date::year_month_day day{date::local_days(shown)};
    return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                       static_cast<unsigned>(day.day()));
}

std::optional<Instant> Windows::begin_of(std::string_view day) const
{
    const auto parsed = parse_day(day);
    return parsed ? std::optional(begin(parsed->time_since_epoch().count())) : std::nullopt;
}

std::optional<Instant> Windows::instant_of(std::string_view text) const
{
    if (const auto day = begin_of(text)) {
        return day;
    }
    const auto shown = shown_by_clocks(text);
    return shown ? std::optional(first_at(*shown)) : Instant::from_rfc3339(text);
}

}  // namespace shelfd::schedule
