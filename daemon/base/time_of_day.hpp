// Local times of day and weekdays in text.
#pragma once

#include <bitset>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd {

// Bit 0 is Monday.
using Weekdays = std::bitset<7>;

// Parses "03:30" as the time since midnight; from "00:00" to "23:59".
std::optional<std::chrono::minutes> parse_time_of_day(std::string_view text);
// Formats as "03:30".
std::string format_time_of_day(std::chrono::minutes since_midnight);

// From one time of day to another one, perhaps of the next day; the two differ.
struct TimeSpan {
    std::chrono::minutes from;
    std::chrono::minutes to;

    std::chrono::minutes length() const;

    friend bool operator==(const TimeSpan&, const TimeSpan&) = default;
};

// Parses "22:00-06:00".
std::optional<TimeSpan> parse_time_span(std::string_view text);
std::string format_time_span(const TimeSpan& span);
// Spans with the same minutes that neither overlap nor touch, in order of their beginning; empty if they leave no
// minute of the day.
std::optional<std::vector<TimeSpan>> merge_spans(const std::vector<TimeSpan>& spans);

// Parses "mon" … "sun" as a bit number of Weekdays.
std::optional<std::size_t> parse_weekday(std::string_view text);
// `weekday` < 7.
std::string_view format_weekday(std::size_t weekday);

// The longest distance between two of these times in a week without clock changes. Needs at least one time and one day.
std::chrono::minutes max_gap(const std::vector<std::chrono::minutes>& times, Weekdays days);

}  // namespace shelfd
