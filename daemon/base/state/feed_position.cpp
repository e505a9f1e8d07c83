#include "base/state/feed_position.hpp"

#include "base/words/digits.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace shelfd {
namespace {

// As the daemon names feeds; what a person pasted with a word before it is none.
bool is_feed_name(std::string_view text)
{
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
}

}  // namespace

std::string Position::to_text() const
{
    return load == 0 ? fmt::format("{}:{}", feed, seq) : fmt::format("{}:{}.{}", feed, seq, load);
}

std::optional<Position> Position::parse(std::string_view text)
{
    const auto colon = text.find(':');
    if (colon == std::string_view::npos || !is_feed_name(text.substr(0, colon))) {
        return std::nullopt;
    }
    const auto place = text.substr(colon + 1);
    const auto dot = std::min(place.find('.'), place.size());
    const auto seq = count_in<std::int64_t>(place.substr(0, dot));
    const auto load =
        dot < place.size() ? count_in<std::int64_t>(place.substr(dot + 1)) : std::optional(std::int64_t(0));
    const bool counts = seq && load;
    return counts ? std::optional(Position{std::string(text.substr(0, colon)), *seq, *load}) : std::nullopt;
}

bool is_consumer_name(std::string_view text)
{
    constexpr std::size_t longest = 41;  // as of all names
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    return !text.empty() && text.size() <= longest && is_letter(text.front()) &&
           std::all_of(text.begin(), text.end(), [&](char c) { return is_letter(c) || c == '_' || c == '-'; });
}

}  // namespace shelfd
