#include "sync/service/filter_check.hpp"

#include "mirror/json/object.hpp"

#include <span>
#include <vector>

namespace shelfd::sync {
namespace {

constexpr Duration tolerance = std::chrono::hours(48);
constexpr Duration farthest_zone = std::chrono::hours(14);
constexpr std::size_t length_of_day = 10;

std::optional<Instant> instant_in(const mirror::Member& member)
{
    if (member.value.empty() || member.type != mirror::JsonType::string) {
        return std::nullopt;
    }
    std::string text(member.inside());
    return Instant::from_rfc3339(text.size() == length_of_day ? text + "T00:00:00Z" : text);
}

// The latest instant that the value can mean.
std::optional<Instant> latest_in(const mirror::Member& member)
{
    if (const auto at = instant_in(member)) {
        return member.inside().size() == length_of_day ? *at + std::chrono::hours(24) : *at;
    }
    if (member.value.empty() || member.type != mirror::JsonType::string) {
        return std::nullopt;
    }
    const auto at = Instant::from_rfc3339(std::string(member.inside()) + "Z");
    return at ? std::optional(*at + farthest_zone) : std::nullopt;
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

std::optional<std::string> first_unsolicited(std::string_view rows, const std::string& field, Instant since)
{
    const auto earliest = since - tolerance;
    std::optional<std::string> first;
    for_each_row(rows, field, [&](const mirror::Member* member) {
        const auto changed = member == nullptr ? std::nullopt : instant_in(*member);
        if (!first && changed && *changed < earliest) {
            first = std::string(member->inside());
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
