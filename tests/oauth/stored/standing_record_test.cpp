// Where a set stands, for people and for the journals.
#include "oauth/endpoint/answer_class.hpp"
#include "oauth/journal/journal_pair.hpp"
#include "oauth/parts_rig.hpp"

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

TEST_CASE("reasons that journals of any version hold are worded as they were")
{
    CHECK(too_large_text == "the tokens have more than 15 KiB together, too much for a record of the journal");
    CHECK(after_unread_answer == ", after an answer that could not be read");
    CHECK(refused_scope_code == "invalid_scope");
}

TEST_CASE("the kind of a reason is read from the words that journals of any version hold")
{
    CHECK(kind_of_reason("") == ReasonKind::other);
    CHECK(kind_of_reason("HTTP 400, invalid_grant") == ReasonKind::other);
    CHECK(kind_of_reason("HTTP 401, invalid_client") == ReasonKind::other);
    CHECK(kind_of_reason("HTTP 400, invalid_scope") == ReasonKind::refused_scope);
    CHECK(kind_of_reason("HTTP 400, invalid_grant, after an answer that could not be read") ==
          ReasonKind::after_unread_answer);
    CHECK(kind_of_reason("the tokens have more than 15 KiB together, too much for a record of the journal") ==
          ReasonKind::too_large);
}

TEST_CASE("a refusal of the scopes is stored with the words by which a later version knows it")
{
    Arrived refused{400, true, R"({"error": "invalid_scope"})"};
    CHECK(classify(refused).reason == "HTTP 400, invalid_scope");
}

TEST_CASE("a reason keeps its kind across a restart")
{
    PartsRig rig;
    rig.standing.set_reason_after_unread_answer("HTTP 400, invalid_grant");
    rig.standing.begin(Standing::lost);
    const auto note = rig.standing.note_of(Doubt(), Standing::lost);
    CHECK(note.reason == "HTTP 400, invalid_grant, after an answer that could not be read");
    StandingRecord next(rig.world.clock, rig.moments, rig.machine);
    next.recover(note);
    CHECK(next.reason_kind() == ReasonKind::after_unread_answer);
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
