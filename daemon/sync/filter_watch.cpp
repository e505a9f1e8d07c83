#include "sync/filter_watch.hpp"

#include "mirror/json_walk.hpp"

#include <span>
#include <vector>

namespace shelfd::sync {
namespace {

constexpr Duration tolerance = std::chrono::hours(48);

std::optional<Instant> instant_in(const mirror::Member& member)
{
    if (member.value.empty() || member.type != mirror::JsonType::string) {
        return std::nullopt;
    }
    std::string text(member.inside());
    constexpr std::size_t length_of_day = 10;
    return Instant::from_rfc3339(text.size() == length_of_day ? text + "T00:00:00Z" : text);
}

}  // namespace

std::optional<std::string> first_unsolicited(std::string_view rows, const std::string& field, Instant since)
{
    std::vector<mirror::Member> items;
    if (mirror::take_elements(rows, items) != nullptr) {
        return std::nullopt;
    }
    const auto earliest = since - tolerance;
    std::vector<mirror::Member> found;
    for (const auto& item : items) {
        found.clear();
        if (mirror::find_members(item.value, std::span(&field, 1), found) != nullptr || found.empty()) {
            continue;
        }
        const auto changed = instant_in(found.front());
        if (changed && *changed < earliest) {
            return std::string(found.front().inside());
        }
    }
    return std::nullopt;
}

}  // namespace shelfd::sync
