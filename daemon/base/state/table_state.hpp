// The state of a table in one word: how far its rows can be trusted to be all there, and recent.
#pragma once

#include <optional>
#include <string_view>

namespace shelfd {

// In the order of precedence: the first that holds is the state.
enum class TableState { retired, paused, wrong_library, needs_person, forbidden, held, filling, late, fresh };

// The word in SQL, JSON and metrics.
const char* to_string(TableState state);
// The same for a sentence: "needs a person".
std::string_view for_people(TableState state);
// Empty for a word that is no state.
std::optional<TableState> parse_table_state(std::string_view word);

// No row is fetched for it, by configuration.
constexpr bool is_at_rest(TableState state)
{
    return state == TableState::retired || state == TableState::paused;
}

// It does not advance before a person has acted.
constexpr bool needs_somebody(TableState state)
{
    return state >= TableState::wrong_library && state <= TableState::held;
}

}  // namespace shelfd
