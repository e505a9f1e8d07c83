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

// Parses "mon" … "sun" as a bit number of Weekdays.
std::optional<std::size_t> parse_weekday(std::string_view text);
// `weekday` < 7.
std::string_view format_weekday(std::size_t weekday);

// The longest distance between two of these times in a week without clock changes. Needs at least one time and one day.
std::chrono::minutes max_gap(const std::vector<std::chrono::minutes>& times, Weekdays days);

}  // namespace shelfd
