// Local times of day and weekdays, as people write them in plans.
#pragma once

#include <bitset>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd {

// Monday is 0.
using Weekdays = std::bitset<7>;

// "03:30" as the time since midnight; from "00:00" to "23:59".
std::optional<std::chrono::minutes> parse_time_of_day(std::string_view text);
// The same form.
std::string format_time_of_day(std::chrono::minutes since_midnight);

// "mon" … "sun" as the bit of Weekdays.
std::optional<std::size_t> parse_weekday(std::string_view text);
// `weekday` < 7.
std::string_view format_weekday(std::size_t weekday);

// From one of these times to the next, over a week whose clocks nobody moves. At least one time and one day.
std::chrono::minutes max_gap(const std::vector<std::chrono::minutes>& times, Weekdays days);

}  // namespace shelfd
