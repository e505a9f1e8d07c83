#include "base/state/table_state.hpp"

#include "support/catch.hpp"

#include <array>

using namespace shelfd;

TEST_CASE("each state reads back from its word, and says whether the table rests or needs somebody")
{
    struct Row {
        TableState state;
        bool at_rest;
        bool somebody;
    };
    const std::array rows = {Row{TableState::retired, true, false},       Row{TableState::paused, true, false},
                             Row{TableState::wrong_library, false, true}, Row{TableState::needs_person, false, true},
                             Row{TableState::forbidden, false, true},     Row{TableState::held, false, true},
                             Row{TableState::filling, false, false},      Row{TableState::late, false, false},
                             Row{TableState::fresh, false, false}};
    for (const auto& row : rows) {
        INFO(to_string(row.state));
        CHECK(is_at_rest(row.state) == row.at_rest);
        CHECK(needs_somebody(row.state) == row.somebody);
        CHECK(parse_table_state(to_string(row.state)) == row.state);
    }
    CHECK_FALSE(parse_table_state("Fresh"));
    CHECK(for_people(TableState::wrong_library) == "wrong library");
}
