#include "base/state/phase.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace shelfd {
namespace {

constexpr std::array<const char*, 8> words = {"identity",   "pages",   "closing", "witnesses",
                                              "publishing", "waiting", "details", "queued"};

}  // namespace

const char* to_string(Phase phase)
{
    return words[static_cast<std::size_t>(phase)];
}

std::optional<Phase> parse_phase(std::string_view word)
{
    const auto* const found = std::find(words.begin(), words.end(), word);
    return found == words.end() ? std::nullopt : std::optional(static_cast<Phase>(found - words.begin()));
}

}  // namespace shelfd
