#include "base/state/token_state.hpp"

#include "base/state/word_table.hpp"

namespace shelfd {
namespace {

constexpr std::array<const char*, 17> words = {
    "unreadable", "none",    "other_service", "unstored",      "moved",   "copied",
    "lost",       "foreign", "wrong_library", "configuration", "blocked", "in_doubt",
    "ended",      "ends",    "refreshing",    "waiting",       "good"};

}  // namespace

const char* to_string(TokenState state)
{
    return words[static_cast<std::size_t>(state)];
}

std::optional<TokenState> parse_token_state(std::string_view word)
{
    return find_word<TokenState>(words, word);
}

bool needs_person(TokenState state)
{
    switch (state) {
    case TokenState::in_doubt:
    case TokenState::ends:
    case TokenState::refreshing:
    case TokenState::waiting:
    case TokenState::good: return false;
    default: return true;
    }
}

}  // namespace shelfd
