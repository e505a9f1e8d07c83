#include "sync/service/filter_check.hpp"

#include "mirror/json/object.hpp"

#include <charconv>
#include <span>
#include <system_error>
#include <vector>

namespace shelfd::sync {
namespace {

constexpr Duration tolerance = std::chrono::hours(48);
constexpr Duration farthest_zone = std::chrono::hours(14);
constexpr std::size_t length_of_day = 10;

// Seconds or milliseconds since 1970, of the years 2001 to 2096.
std::optional<Instant> since_1970(std::string_view text)
{
    constexpr double earliest = 1e9;
    constexpr double latest = 4e9;
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    const auto seconds = number >= earliest * 1000 ? number / 1000 : number;
    return seconds >= earliest && seconds <= latest
               ? std::optional(Instant::from_micros(static_cast<std::int64_t>(seconds * 1e6)))
               : std::nullopt;
}

// The value of a member that may be a time; "" for any other.
std::string time_text(const mirror::Member& member)
{
    if (member.value.empty() || (member.type != mirror::JsonType::string && member.type != mirror::JsonType::number)) {
        return "";
    }
    return completed(std::string(member.type == mirror::JsonType::string ? member.inside() : member.value));
}

// A day counts from its beginning, a time without a zone as of UTC.
std::optional<Instant> instant_in(const mirror::Member& member)
{
    const auto text = time_text(member);
    const auto exact = exact_time(text);
    return exact ? exact : Instant::from_rfc3339(text + (text.size() == length_of_day ? "T00:00:00Z" : "Z"));
}

// The latest instant that the value can mean.
std::optional<Instant> latest_in(const mirror::Member& member)
{
    const auto text = time_text(member);
    const auto exact = exact_time(text);
    const auto at = exact ? exact : instant_in(member);
    const auto margin = text.size() == length_of_day ? Duration(std::chrono::hours(24)) : farthest_zone;
    return at && !exact ? std::optional(*at + margin) : at;
}

// Calls `take` with the member, or with nullptr if the row has none.
template <class Take>
void for_each_row(std::string_view rows, const std::string& field, const Take& take)
{
    std::vector<mirror::Member> items;
    if (mirror::parse_elements(rows, items) != nullptr) {
        return;
    }
    std::vector<mirror::Member> found;
    for (const auto& item : items) {
        found.clear();
        const bool there = mirror::find_members(item.value, std::span(&field, 1), found) == nullptr && !found.empty();
        take(there ? &found.front() : nullptr);
    }
}

}  // namespace

// Completes "2026-01-05 10:07" to "2026-01-05T10:07:00".
std::string completed(std::string text)
{
    constexpr std::size_t day_size = 10;
    constexpr std::size_t minute_size = 16;
    if (text.size() > day_size && text[day_size] == ' ') {
        text[day_size] = 'T';
    }
    return text.size() == minute_size ? text + ":00" : text;
}

// A time that needs no zone to be understood.
std::optional<Instant> exact_time(const std::string& text)
{
    const auto instant = Instant::from_rfc3339(text);
    const auto date = instant ? instant : Instant::from_http_date(text);
    return date ? date : since_1970(text);
}

std::optional<std::string> first_unsolicited(std::string_view rows, const std::string& field, Instant since)
{
    const auto earliest = since - tolerance;
    std::optional<std::string> first;
    for_each_row(rows, field, [&](const mirror::Member* member) {
        const auto changed = member == nullptr ? std::nullopt : instant_in(*member);
        if (!first && changed && *changed < earliest) {
            first = std::string(member->type == mirror::JsonType::string ? member->inside() : member->value);
        }
    });
    return first;
}

bool are_all_later(std::string_view rows, const std::string& field, Instant since)
{
    bool all = true;
    for_each_row(rows, field, [&](const mirror::Member* member) {
        const auto changed = member == nullptr ? std::nullopt : latest_in(*member);
        all = all && changed && *changed >= since - tolerance;
    });
    return all;
}

std::uint64_t changed_since(std::string_view rows, const std::string& field, Instant began)
{
    std::uint64_t late = 0;
    for_each_row(rows, field, [&](const mirror::Member* member) {
        const auto changed = member == nullptr ? std::nullopt : latest_in(*member);
        late += !changed || *changed >= began ? 1U : 0U;
    });
    return late;
}

}  // namespace shelfd::sync
