#include "mirror_fixture.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

// The view looks at the real clock, which no test may wait for: the pass is as old as the test wants instead.
mirror::PublishOutcome load_aged(MirrorFixture& fixture, Duration age, mirror::Proof proof = complete_proof())
{
    const Instant now = SystemClock().now();
    auto pass = must(fixture.mirror->begin_pass("things", {.run_id = "aged", .started = now, .as_of = now - age}));
    must(pass->add_page(R"([{"id":1}])"));
    return must(pass->publish(proof));
}

mirror::ResourceSpec things(Duration late_after, Duration proven_late_after = Duration::zero())
{
    return {.name = "things", .late_after = late_after, .proven_late_after = proven_late_after};
}

}  // namespace

TEST_CASE("a table is filling until its first pass, then fresh, and late by itself when its time has passed")
{
    MirrorFixture fixture({things(30min)});
    CHECK(fixture.one("SELECT state, as_of, age_seconds, late_at, why FROM freshness") ==
          "filling|null|null|null|null");
    load_aged(fixture, 10min);
    CHECK(fixture.one("SELECT state, age_seconds BETWEEN 600 AND 660 FROM freshness") == "fresh|1");
    CHECK(fixture.one("SELECT strftime('%s', late_at) - strftime('%s', as_of) FROM freshness") == "1800");
    load_aged(fixture, 31min);
    CHECK(fixture.one("SELECT state FROM freshness") == "late");
}

TEST_CASE("a planned time beats the interval, and a table may be late for want of a proof")
{
    MirrorFixture fixture({things(30min, 3h)});
    auto proof = complete_proof();
    proof.late_at = SystemClock().now() + 1h;
    load_aged(fixture, 2h, proof);
    CHECK(fixture.one("SELECT state FROM freshness") == "fresh");
    load_aged(fixture, 4h, proof);
    CHECK(fixture.one("SELECT state FROM freshness") == "late");
    auto unproven = complete_proof();
    unproven.complete = false;
    load_aged(fixture, 1min, unproven);
    CHECK(fixture.one("SELECT state, age_seconds < 120, proven_as_of < as_of FROM freshness") == "late|1|1");
}

TEST_CASE("what keeps a table from being synced is said before how old it is, with reason and beginning")
{
    MirrorFixture fixture({things(30min)});
    load_aged(fixture, 1h);
    struct Row {
        mirror::Blocked blocked;
        const char* state;
    };
    const Row rows[] = {
        {mirror::Blocked::paused, "paused"},
        {mirror::Blocked::wrong_library, "wrong_library"},
        {mirror::Blocked::needs_person, "needs_person"},
        {mirror::Blocked::forbidden, "forbidden"},
        {mirror::Blocked::none, "late"},
    };
    for (const auto& row : rows) {
        INFO(row.state);
        must(fixture.mirror->set_state("things", {.blocked = row.blocked, .why = "because"}));
        CHECK(fixture.one("SELECT state, why FROM freshness") == fmt::format("{}|because", row.state));
        const auto summary = must(fixture.mirror->summary("things"));
        REQUIRE(summary);
        CHECK(std::string(to_string(summary->state)) == row.state);
        CHECK(summary->rows == 1);
        CHECK(summary->since.has_value() == (row.blocked != mirror::Blocked::none));
    }
}

TEST_CASE("the cause of a reason is kept beside it, and goes with it")
{
    MirrorFixture fixture;
    const auto cause = [&fixture] { return must(fixture.mirror->summary("things"))->cause; };
    must(fixture.mirror->set_state("things", {.why = "cannot resolve the host name",  //
                                              .cause = TroubleSource::host_name}));
    CHECK(fixture.one("SELECT cause FROM _resources") == "host_name");
    fixture.reopen();
    CHECK(cause() == TroubleSource::host_name);
    must(fixture.mirror->set_state("things", {.why = "cannot resolve the host name"}));
    CHECK(cause() == TroubleSource::service);
    must(fixture.mirror->set_state("things", {.cause = TroubleSource::limit}));
    CHECK(fixture.one("SELECT cause FROM _resources") == "null");
}

TEST_CASE("a mirror made before causes were kept gets the column for them, and knows none of its reasons")
{
    MirrorFixture fixture;
    must(fixture.mirror->set_state(
        "things", {.blocked = mirror::Blocked::needs_person, .why = "because", .cause = TroubleSource::identity}));
    {
        auto earlier = must(storage::Database::open(fixture.file(), storage::OpenMode::read_write_create));
        must(earlier.execute("DROP VIEW freshness; DROP VIEW _standing; ALTER TABLE _resources DROP COLUMN cause; "
                             "UPDATE _meta SET value = '22' WHERE key = 'schema_minor'; "
                             "CREATE VIEW freshness AS SELECT resource FROM _resources"));
    }
    fixture.reopen();
    const auto summary = must(fixture.mirror->summary("things"));
    REQUIRE(summary);
    CHECK(summary->state == TableState::needs_person);
    CHECK(summary->why == "because");
    CHECK(summary->cause == TroubleSource::service);
    must(fixture.mirror->set_state(
        "things", {.blocked = mirror::Blocked::needs_person, .why = "because", .cause = TroubleSource::identity}));
    CHECK(must(fixture.mirror->summary("things"))->cause == TroubleSource::identity);
}

TEST_CASE("since stays while the word stays")
{
    MirrorFixture fixture;
    must(fixture.mirror->set_state("things", {.blocked = mirror::Blocked::forbidden, .why = "a"}));
    const auto since = fixture.one("SELECT since FROM _resources");
    fixture.clock.advance_by(1h);
    must(fixture.mirror->set_state("things", {.blocked = mirror::Blocked::forbidden, .why = "b"}));
    CHECK(fixture.one("SELECT since, why FROM _resources") == since + "|b");
    must(fixture.mirror->set_state("things", {.blocked = mirror::Blocked::paused}));
    CHECK(fixture.one("SELECT since > '" + since + "' FROM _resources") == "1");
}

TEST_CASE("a failed run leaves its line and its error, until a pass is published")
{
    MirrorFixture fixture;
    load_aged(fixture, 1min);
    must(fixture.mirror->record_run({
        .run_id = "bad",
        .resource = "things",
        .started = fixture.clock.now(),
        .finished = fixture.clock.now() + 3s,
        .error = "the service answers 500",
        .requests = 5,
        .pages = 2,
    }));
    CHECK(fixture.one("SELECT result, error, requests, pages FROM _runs WHERE run_id = 'bad'") ==
          "failed|the service answers 500|5|2");
    CHECK(fixture.one("SELECT state, why FROM freshness") == "fresh|the service answers 500");
    load_aged(fixture, 1min);
    CHECK(fixture.one("SELECT why FROM freshness") == "null");
}

TEST_CASE("a resource that is configured no more keeps its rows and is retired, until it is configured again")
{
    MirrorFixture fixture({{.name = "things"}, {.name = "others"}});
    fixture.load({R"({"id":1})"}, "others");
    must(fixture.mirror->set_state("others", {.blocked = mirror::Blocked::paused, .why = "a person paused it"}));
    fixture.specs = {{.name = "things"}};
    fixture.reopen();
    CHECK(fixture.one("SELECT state, rows, why FROM freshness WHERE resource = 'others'") == "retired|1|null");
    CHECK(fixture.one("SELECT count(*) FROM others") == "1");
    fixture.specs = {{.name = "things"}, {.name = "others"}};
    fixture.reopen();
    CHECK(fixture.one("SELECT state FROM freshness WHERE resource = 'others'") == "fresh");
    CHECK(fixture.load({R"({"id":1})"}, "others").unchanged == 1);
}

TEST_CASE("another key empties the table, says so, and fills it anew")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1,"code":"a"},{"id":2,"code":"b"})"});
    fixture.specs = {{.name = "things", .key = {"code"}}};
    fixture.reopen();
    CHECK(fixture.mirror->take_notice() == "the key of things changed: the table is filled again");
    CHECK_FALSE(fixture.mirror->take_notice());
    CHECK(fixture.one("SELECT state, rows FROM freshness") == "filling|0");
    CHECK(fixture.load({R"({"id":1,"code":"a"},{"id":2,"code":"b"})"}).added == 2);
}

TEST_CASE("lines about passes go after their time, but never the proof a table rests on")
{
    MirrorFixture fixture;
    fixture.load({R"({"id":1})"});
    fixture.clock.advance_by(24h * 60);
    fixture.load({R"({"id":1})"});
    CHECK(fixture.one("SELECT count(*) FROM _runs") == "2");
    fixture.clock.advance_by(24h * 60);
    auto pass = fixture.begin();
    must(pass->add_page(R"([{"id":1}])"));
    must(pass->publish({}));
    CHECK(fixture.sql("SELECT run_id FROM _runs ORDER BY 1") == std::vector<std::string>{"run-2", "run-3"});
    fixture.clock.advance_by(24h * 400);
    pass = fixture.begin();
    must(pass->add_page(R"([{"id":1}])"));
    must(pass->publish({}));
    CHECK(fixture.sql("SELECT run_id FROM _proofs ORDER BY 1") == std::vector<std::string>{"run-2", "run-4"});
}

TEST_CASE("facts of the library are kept with its rows")
{
    MirrorFixture fixture;
    CHECK_FALSE(must(fixture.mirror->fact(mirror::Fact::library_id)));
    must(fixture.mirror->set_fact(mirror::Fact::library_id, "42"));
    must(fixture.mirror->set_fact(mirror::Fact::token_generation, "7"));
    must(fixture.mirror->set_fact(mirror::Fact::token_generation, "8"));
    fixture.reopen();
    CHECK(must(fixture.mirror->fact(mirror::Fact::library_id)) == "42");
    CHECK(must(fixture.mirror->fact(mirror::Fact::token_generation)) == "8");
    CHECK(fixture.one("SELECT value FROM _meta WHERE key = 'library'") == "antwerp");
}

TEST_CASE("a summary that was read long ago turns late when the view does")
{
    MirrorFixture fixture({things(30min, 3h)});
    load_aged(fixture, 10min);
    const auto summary = must(fixture.mirror->summary("things"));
    REQUIRE(summary);
    REQUIRE(summary->late_at);
    CHECK(summary->state_at(*summary->late_at) == TableState::fresh);
    CHECK(summary->state_at(*summary->late_at + 1us) == TableState::late);
    CHECK(summary->state_at(SystemClock().now()) == TableState::fresh);
    CHECK(fixture.one("SELECT state FROM freshness") == "fresh");
    load_aged(fixture, *summary->late_at - SystemClock().now() + 10min + 2s);  // the view counts whole seconds
    CHECK(fixture.one("SELECT state FROM freshness") == "late");
    SECTION("or for want of a proof")
    {
        REQUIRE(summary->proven_late_at);
        auto unpublished = *summary;
        unpublished.late_at.reset();
        CHECK(unpublished.state_at(*summary->proven_late_at + 1us) == TableState::late);
    }
    SECTION("and what keeps it from being synced stays what it is")
    {
        auto paused = *summary;
        paused.state = TableState::paused;
        CHECK(paused.state_at(*summary->late_at + 1h) == TableState::paused);
    }
}

TEST_CASE("the summary names the run that published last, what it changed, and the newest position of the feed")
{
    MirrorFixture fixture;
    const auto feed = fixture.one("SELECT value FROM _meta WHERE key = 'feed'");
    const auto empty = must(fixture.mirror->summary("things"));
    REQUIRE(empty);
    CHECK_FALSE(empty->last_run);
    CHECK(empty->feed_position == feed + ":0");
    fixture.load({R"({"id":1},{"id":2})"});
    const auto loaded = must(fixture.mirror->summary("things"));
    REQUIRE(loaded->last_run);
    CHECK(loaded->last_run->added == 2);
    CHECK(loaded->feed_position == feed + ":0.1");  // a first load has no lines
    fixture.load({R"({"id":1,"a":5},{"id":2},{"id":3})"});
    const auto changed = must(fixture.mirror->summary("things"));
    REQUIRE(changed->last_run);
    CHECK(changed->last_run->run_id != loaded->last_run->run_id);
    CHECK(changed->last_run->added == 1);
    CHECK(changed->last_run->changed == 1);
    CHECK(changed->last_run->deleted == 0);
    CHECK(changed->feed_position == feed + ":2");
}
