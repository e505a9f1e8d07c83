#include "base/state/trouble.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace shelfd {
namespace {

constexpr std::array<const char*, 6> words = {"none",         "passing",       "forbidden",
                                              "needs_person", "wrong_library", "storage"};

}  // namespace

const char* to_string(Trouble trouble)
{
    return words[static_cast<std::size_t>(trouble)];
}

std::optional<Trouble> parse_trouble(std::string_view word)
{
    const auto* const found = std::find(words.begin(), words.end(), word);
    return found == words.end() ? std::nullopt : std::optional(static_cast<Trouble>(found - words.begin()));
}

}  // namespace shelfd
