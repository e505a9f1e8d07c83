#include "sync/service/end_habit.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace shelfd::sync {
namespace {

constexpr auto words = std::to_array<std::pair<Further, const char*>>({
    {Further::unknown, ""},
    {Further::page, "page"},
    {Further::page_from_0, "page_from_0"},
    {Further::offset, "offset"},
    {Further::page_size, "page_size"},
    {Further::none, "none"},
    {Further::cut, "cut"},
});

}  // namespace

const char* to_string(Further further)
{
    return std::find_if(words.begin(), words.end(), [&](const auto& one) { return one.first == further; })->second;
}

Further further_from(std::string_view word)
{
    const auto* found = std::find_if(words.begin(), words.end(), [&](const auto& one) { return one.second == word; });
    return found == words.end() ? Further::unknown : found->first;
}

}  // namespace shelfd::sync
