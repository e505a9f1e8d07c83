#include "http/client.hpp"

#include "base/text.hpp"
#include "base/told_wait.hpp"

#include <algorithm>
#include <array>

namespace shelfd::http {
namespace {

bool same_name(std::string_view a, std::string_view b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::string_view value_of(std::span<const Header> headers, std::string_view name)
{
    const auto found = std::find_if(headers.begin(), headers.end(),
                                    [name](const Header& candidate) { return same_name(candidate.name, name); });
    return found == headers.end() ? std::string_view() : std::string_view(found->value);
}

std::string Response::joined(std::string_view name) const
{
    std::string all;
    for (const auto& candidate : headers) {
        if (same_name(candidate.name, name)) {
            all += (all.empty() ? "" : ", ") + candidate.value;
        }
    }
    return all;
}

namespace {

// No service existed before 2000, and none sends a date of the next century: such a Date is no clock.
constexpr auto first_date = Instant::from_seconds(946'684'800);   // 2000
constexpr auto last_date = Instant::from_seconds(4'102'444'800);  // 2100

// A smaller difference may be an error of our own clock, and changes made meanwhile must not be missed.
constexpr Duration farthest_date = std::chrono::hours(24 * 366);

}  // namespace

std::optional<Instant> service_date(const Response& response)
{
    const auto date = Instant::from_http_date(response.header("Date"));
    return date && *date >= first_date && *date <= last_date ? date : std::nullopt;
}

std::optional<Instant> service_date_near(const Response& response, Instant now)
{
    const auto date = service_date(response);
    return date && std::chrono::abs(now - *date) < farthest_date ? date : std::nullopt;
}

std::optional<Duration> retry_after(const Response& response, Instant now)
{
    struct Spelling {
        std::string_view name;
        WaitUnit unit = WaitUnit::seconds;
    };
    constexpr std::array<Spelling, 5> spellings = {{{"Retry-After"},
                                                    {"Retry-After-Ms", WaitUnit::milliseconds},
                                                    {"X-Retry-After"},
                                                    {"X-Retry-After-Ms", WaitUnit::milliseconds},
                                                    {"X-Ms-Retry-After-Ms", WaitUnit::milliseconds}}};
    const auto service_now = service_date_near(response, now).value_or(now);
    for (const auto& spelling : spellings) {
        if (const auto wait = told_wait(response.header(spelling.name), service_now, spelling.unit)) {
            return wait;
        }
    }
    return std::nullopt;
}

}  // namespace shelfd::http
