// Where a set stands, for people and for the journals.
#include "oauth/journal/journal_pair.hpp"
#include "oauth/parts_rig.hpp"

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

TEST_CASE("reasons that journals of any version hold are worded as they were")
{
    CHECK(too_large_text == "the tokens have more than 15 KiB together, too much for a record of the journal");
    CHECK(after_unread_answer == ", after an answer that could not be read");
}

TEST_CASE("a standing that goes on keeps its beginning, another one begins now")
{
    PartsRig rig;
    rig.standing.begin(Standing::in_doubt);
    const auto began = rig.standing.since();
    rig.world.clock.advance_by(1h);
    rig.standing.change(Standing::in_doubt);
    REQUIRE(rig.standing.since() == began);
    rig.standing.change(Standing::lost);
    REQUIRE(rig.standing.since() == began + 1h);
}

TEST_CASE("what a note says is what a restart reads from it")
{
    PartsRig rig;
    Doubt doubt;
    doubt.open = doubt.old_token_was_alive = doubt.committed = true;
    doubt.replays = 2;
    doubt.server_errors = 3;
    doubt.since = rig.world.clock.boot_now() - 2h;
    doubt.last_sent = rig.world.clock.boot_now() - 1h;
    rig.standing.set_reason("it was cut");
    rig.standing.begin(Standing::in_doubt);
    const auto note = rig.standing.note_of(doubt, Standing::in_doubt);
    REQUIRE(note.access_was_alive);
    REQUIRE(note.committed);
    REQUIRE(note.replays == 2);
    REQUIRE(note.server_errors == 3);
    REQUIRE(rig.moments.past(note.first_sent) == doubt.since);
    REQUIRE(rig.moments.past(note.last_sent) == doubt.last_sent);
    REQUIRE_FALSE(note.told_to_wait);
    StandingRecord next(rig.world.clock, rig.moments, rig.machine);
    next.recover(note);
    REQUIRE(next.reason() == "it was cut");
    REQUIRE(next.since() == rig.standing.since());
}

TEST_CASE("a copy that is written anew is owed a note only where the set does not say it all")
{
    PartsRig rig;
    RefreshMachine::Start start;
    start.holding.refresh = true;
    rig.machine.begin(start);
    REQUIRE_FALSE(rig.standing.owed_note());
    start.standing = Standing::configuration;
    start.told_to_wait = rig.world.clock.boot_now() + 1h;
    rig.machine.begin(start);
    const auto note = rig.standing.owed_note();
    REQUIRE(note);
    REQUIRE(note->standing == Standing::configuration);
    REQUIRE(note->told_to_wait);
}

}  // namespace
}  // namespace shelfd::oauth
