#include "sync/trouble/blocked.hpp"

#include "support/catch.hpp"

using namespace shelfd;
using namespace shelfd::sync;

TEST_CASE("readers are shown trouble that a person has to end, and no other")
{
    CHECK(shows(TableState::forbidden, Trouble::forbidden));
    CHECK(shows(TableState::needs_person, Trouble::needs_person));
    CHECK(shows(TableState::wrong_library, Trouble::wrong_library));
    CHECK_FALSE(shows(TableState::forbidden, Trouble::needs_person));
    for (const auto trouble : {Trouble::none, Trouble::passing, Trouble::storage}) {
        CHECK(blocked_of(trouble) == mirror::Blocked::none);
        for (const auto state : {TableState::fresh, TableState::late, TableState::forbidden}) {
            CHECK_FALSE(shows(state, trouble));
        }
    }
}

TEST_CASE("a table is blocked where a person has to act, not while it is paused, late or filled")
{
    CHECK(is_blocked(TableState::forbidden));
    CHECK(is_blocked(TableState::needs_person));
    CHECK(is_blocked(TableState::wrong_library));
    for (const auto state : {TableState::retired, TableState::paused, TableState::held, TableState::filling,
                             TableState::late, TableState::fresh}) {
        CHECK_FALSE(is_blocked(state));
    }
}
