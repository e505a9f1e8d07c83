#include "base/time_of_day.hpp"

#include "base/words/digits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace shelfd {
namespace {

constexpr std::chrono::minutes day = std::chrono::hours(24);
constexpr std::array<std::string_view, 7> weekdays = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};

}  // namespace

std::optional<std::chrono::minutes> parse_time_of_day(std::string_view text)
{
    if (text.size() != 5 || !is_digit(text[0]) || !is_digit(text[1]) || text[2] != ':' || !is_digit(text[3]) ||
        !is_digit(text[4])) {
        return std::nullopt;
    }
    const int hours = (text[0] - '0') * 10 + (text[1] - '0');
    const int minutes = (text[3] - '0') * 10 + (text[4] - '0');
    if (hours > 23 || minutes > 59) {
        return std::nullopt;
    }
    return std::chrono::minutes(hours * 60 + minutes);
}

std::string format_time_of_day(std::chrono::minutes since_midnight)
{
    return fmt::format("{:02}:{:02}", since_midnight.count() / 60, since_midnight.count() % 60);
}

std::optional<TimeSpan> parse_time_span(std::string_view text)
{
    const auto dash = text.find('-');
    if (dash == std::string_view::npos) {
        return std::nullopt;
    }
    const auto from = parse_time_of_day(text.substr(0, dash));
    const auto to = parse_time_of_day(text.substr(dash + 1));
    return from && to && *from != *to ? std::optional(TimeSpan{*from, *to}) : std::nullopt;
}

std::string format_time_span(const TimeSpan& span)
{
    return format_time_of_day(span.from) + "-" + format_time_of_day(span.to);
}

std::chrono::minutes TimeSpan::length() const
{
    return from < to ? to - from : to - from + day;
}

std::optional<std::vector<TimeSpan>> merge_spans(const std::vector<TimeSpan>& spans)
{
    using Minutes = std::chrono::minutes;
    std::vector<bool> is_in(static_cast<std::size_t>(day.count()));
    for (const auto& span : spans) {
        for (Minutes i(0); i < span.length(); ++i) {
            is_in[static_cast<std::size_t>(((span.from + i) % day).count())] = true;
        }
    }
    if (std::find(is_in.begin(), is_in.end(), false) == is_in.end()) {
        return std::nullopt;
    }
    std::vector<TimeSpan> merged;
    for (std::size_t i = 0; i < is_in.size(); ++i) {
        if (!is_in[i] || is_in[(i + is_in.size() - 1) % is_in.size()]) {
            continue;
        }
        auto end = i;
        while (is_in[end]) {
            end = (end + 1) % is_in.size();
        }
        merged.push_back({Minutes(i), Minutes(end)});
    }
    return merged;
}

std::optional<std::size_t> parse_weekday(std::string_view text)
{
    const auto* const found = std::find(weekdays.begin(), weekdays.end(), text);
    if (found == weekdays.end()) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(found - weekdays.begin());
}

std::string_view format_weekday(std::size_t weekday)
{
    return weekdays.at(weekday);
}

std::chrono::minutes max_gap(const std::vector<std::chrono::minutes>& times, Weekdays days)
{
    std::vector<std::chrono::minutes> week;
    for (std::size_t weekday = 0; weekday < days.size(); ++weekday) {
        for (const auto time : times) {
            if (days.test(weekday)) {
                week.push_back(static_cast<int>(weekday) * day + time);
            }
        }
    }
    std::sort(week.begin(), week.end());
    auto longest = week.front() + 7 * day - week.back();
    for (std::size_t i = 1; i < week.size(); ++i) {
        longest = std::max(longest, week[i] - week[i - 1]);
    }
    return longest;
}

}  // namespace shelfd
