#include "base/told_wait.hpp"

#include "base/text.hpp"
#include "base/words/digits.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace shelfd {
namespace {

constexpr double first_unix_time = 1e9;  // seconds; as a span, about thirty years
constexpr double max_unix_time = 1e11;   // seconds, the year 5138; larger numbers count milliseconds or microseconds
constexpr double year = 366.0 * 86400;

// Parses an unsigned decimal number, with or without a fraction.
std::optional<double> amount_in(std::string_view text)
{
    double value = 0;
    const auto* const end = text.data() + text.size();
    const bool begins_well = !text.empty() && is_digit(text.front());
    const auto read = std::from_chars(text.data(), end, value, std::chars_format::fixed);
    return begins_well && read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
}

Duration bounded(double seconds)
{
    constexpr double longest = std::chrono::duration<double>(max_told_wait).count();
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(std::clamp(seconds, 0.0, longest)));
}

// Parses "1h2m3.5s", "120ms" (units in descending order, each with an amount) as seconds.
std::optional<double> span_in(std::string_view text)
{
    struct Unit {
        std::string_view name;
        double seconds;
    };
    constexpr auto units = std::to_array<Unit>({{"h", 3600}, {"m", 60}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}});
    double sum = 0;
    for (const Unit* next = units.data(); !text.empty();) {
        const auto digits = text.substr(0, text.find_first_not_of("0123456789."));
        const auto name =
            text.substr(digits.size()).substr(0, text.find_first_of("0123456789.", digits.size()) - digits.size());
        const auto* const found =
            std::find_if(next, units.data() + units.size(), [name](const Unit& unit) { return unit.name == name; });
        const auto amount = amount_in(digits);
        if (!amount || found == units.data() + units.size()) {
            return std::nullopt;
        }
        sum += *amount * found->seconds;
        next = found + 1;
        text.remove_prefix(digits.size() + name.size());
    }
    return sum;
}

}  // namespace

std::optional<Duration> told_wait(std::string_view text, Instant service_now, WaitUnit unit)
{
    text = trimmed(text, http_space);
    auto value = amount_in(text);
    if (value && *value < first_unix_time) {
        return bounded(unit == WaitUnit::milliseconds ? *value / 1000 : *value);
    }
    if (value) {
        while (*value >= max_unix_time) {
            *value /= 1000;
        }
        const auto left = *value - static_cast<double>(service_now.micros()) / 1e6;
        return left <= year ? std::optional(bounded(left)) : std::nullopt;
    }
    if (const auto span = span_in(text); span && !text.empty()) {
        return bounded(*span);
    }
    auto at = Instant::from_http_date(text);
    at = at ? at : Instant::from_rfc3339(text);
    return at ? std::optional(std::clamp<Duration>(*at - service_now, Duration(0), max_told_wait)) : std::nullopt;
}

}  // namespace shelfd
