#include "base/state/table_state.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace shelfd {
namespace {

struct Words {
    TableState state;
    std::string_view word;
    std::string_view for_people;
};

constexpr std::array<Words, 9> all_words = {{
    {TableState::retired, "retired", "retired"},
    {TableState::paused, "paused", "paused"},
    {TableState::wrong_library, "wrong_library", "wrong library"},
    {TableState::needs_person, "needs_person", "needs a person"},
    {TableState::forbidden, "forbidden", "forbidden"},
    {TableState::held, "held", "held"},
    {TableState::filling, "filling", "filling"},
    {TableState::late, "late", "late"},
    {TableState::fresh, "fresh", "fresh"},
}};

const Words& words_of(TableState state)
{
    return all_words[static_cast<std::size_t>(state)];
}

}  // namespace

const char* to_string(TableState state)
{
    return words_of(state).word.data();
}

std::string_view for_people(TableState state)
{
    return words_of(state).for_people;
}

std::optional<TableState> parse_table_state(std::string_view word)
{
    const auto found =
        std::find_if(all_words.begin(), all_words.end(), [&](const auto& words) { return words.word == word; });
    return found == all_words.end() ? std::nullopt : std::optional(found->state);
}

}  // namespace shelfd
