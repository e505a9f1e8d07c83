#include "ctl/mirror_bench.hpp"
#include "ctl/socket_server.hpp"
#include "ctl/steps_while_asleep.hpp"
#include "support/catch.hpp"

#include <fmt/core.h>

#include <unistd.h>

namespace shelfd::ctl {
namespace {

struct ChangesBench : MirrorBench {
    ChangesBench()
    {
        command.verb = Verb::changes;
        load(R"({"id": 1, "name": "Waffle", "price": 2.50}, {"id": 2, "name": "Soup", "price": 4})");
        load(R"({"id": 1, "name": "Waffle", "price": 2.75}, {"id": 2, "name": "Soup", "price": 4}, {"id": 3})");
        load(R"({"id": 1, "name": "Waffle", "price": 2.75}, {"id": 2, "name": "Soup", "price": 4})");
        load(R"({"id": 1, "name": "Waffle", "price": 2.75}, {"id": 2, "name": "Soup", "price": 4})");
        feed = one("SELECT value FROM _meta WHERE key = 'feed'");
    }

    ExitCode ask(const std::string& since, Output output = Output::text, Clock* other = nullptr)
    {
        command.read.since = since;
        command.output = output;
        captured.out.clear();
        captured.err.clear();
        const auto base = context();
        const Context asked{base.command, base.environment, base.terminal, other != nullptr ? *other : base.clock,
                            base.read_input};
        return run_changes(asked);
    }
    // 0: behind the first load, which no change tells of.
    std::string at(int seq) const { return seq == 0 ? feed + ":0.1" : fmt::format("{}:{}", feed, seq); }

    std::string feed;
};

TEST_CASE("changes are told in their order, each with its position, the last position at the end")
{
    ChangesBench bench;
    CHECK(bench.ask("") == ExitCode::done);
    CHECK(bench.captured.out == fmt::format("{0}:1  2024-01-06T06:00:00Z  update  recipes 1  {{\"price\":2.50}} -> "
                                            "{{\"price\":2.75}}\n"
                                            "{0}:2  2024-01-06T06:00:00Z  insert  recipes 3  {{\"id\":3}}\n"
                                            "{0}:3  2024-01-06T06:00:00Z  delete  recipes 3  {{\"id\":3}}\n"
                                            "position {0}:3\n",
                                            bench.feed));
}

TEST_CASE("whoever goes on from a printed position misses nothing and gets nothing twice")
{
    ChangesBench bench;
    for (int seq = 0; seq <= 3; ++seq) {
        CHECK(bench.ask(bench.at(seq)) == ExitCode::done);
        CHECK(std::count(bench.captured.out.begin(), bench.captured.out.end(), '\n') == 3 - seq + 1);
        CHECK(bench.captured.out.ends_with("position " + bench.at(3) + "\n"));
    }
    CHECK(bench.ask("now") == ExitCode::done);
    CHECK(bench.captured.out == "position " + bench.at(3) + "\n");
}

TEST_CASE("as JSON, keys and values are what the service sent")
{
    ChangesBench bench;
    CHECK(bench.ask(bench.at(0), Output::json) == ExitCode::done);
    CHECK(bench.captured.out.starts_with(
        fmt::format("{{\"position\":\"{0}:1\",\"seen_at\":\"2024-01-06T06:00:00.000000Z\",\"run_id\":\"run-2\","
                    "\"resource\":\"recipes\",\"key\":1,\"op\":\"update\",\"before\":{{\"price\":2.50}},"
                    "\"after\":{{\"price\":2.75}}}}\n",
                    bench.feed)));
    CHECK(bench.captured.out.find("\"op\":\"insert\",\"before\":null,\"after\":{\"id\":3}}") != std::string::npos);
    CHECK(bench.captured.out.ends_with(fmt::format("{{\"position\":\"{}\"}}\n", bench.at(3))));
}

TEST_CASE("changes of one table alone still move the position past those of others")
{
    ChangesBench bench;
    bench.command.resource = "outlets";
    CHECK(bench.ask("") == ExitCode::done);
    CHECK(bench.captured.out == "position " + bench.at(3) + "\n");
    bench.command.resource = "sales";
    CHECK(bench.ask("") == ExitCode::usage);
    CHECK(bench.captured.err.find("no table sales (known: outlets, recipes); all of them: shelfctl schema ") !=
          std::string::npos);
}

TEST_CASE("a position that cannot be gone on from ends with 4 and a sentence that says how to start over")
{
    ChangesBench bench;
    const auto refused = [&](const std::string& since, const std::string& sentence) {
        INFO(since);
        CHECK(bench.ask(since) == ExitCode::gap);
        CHECK(bench.captured.out.empty());
        CHECK(bench.captured.err.find(sentence) != std::string::npos);
        CHECK(bench.captured.err.find("continue with --since " + bench.at(3)) != std::string::npos);
    };
    refused("abc:2", "abc:2 is a position in another feed");
    refused(bench.at(4), "is after the newest change, 3");
    bench.change("DELETE FROM _changes WHERE seq < 3");
    refused(bench.at(1), "changes 2 to 2 are no longer kept");
    CHECK(bench.ask(bench.at(2)) == ExitCode::done);
    bench.change("DELETE FROM _changes");
    refused(bench.at(2), "changes 3 to 3 are no longer kept");
    CHECK(bench.ask(bench.at(3)) == ExitCode::done);
    CHECK(bench.ask("") == ExitCode::done);
    CHECK(bench.captured.out == "position " + bench.at(3) + "\n");
}

TEST_CASE("a long feed comes out whole")
{
    ChangesBench bench;
    bench.change("WITH RECURSIVE n(i) AS (SELECT 4 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO _changes "
                 "(seen_at, run_id, resource, item_key, op) SELECT '', 'r', 'recipes', i, 'insert' FROM n");
    CHECK(bench.ask("") == ExitCode::done);
    CHECK(std::count(bench.captured.out.begin(), bench.captured.out.end(), '\n') == 5001);
    CHECK(bench.captured.out.ends_with("position " + bench.at(5000) + "\n"));
}

TEST_CASE("following tells what comes until it is interrupted, and then where it stopped")
{
    ChangesBench bench;
    bench.load(R"({"id": 7})", "outlets");
    bench.command.read.follow = true;
    StepsWhileAsleep clock({[&] { bench.load(R"({"id": 1, "name": "Waffle", "price": 3}, {"id": 2})"); }, [] {},
                            [&] { bench.load(R"({"id": 7}, {"id": 8})", "outlets"); }});
    CHECK(bench.ask("now", Output::text, &clock) == ExitCode::done);
    CHECK(bench.captured.out.find("update  recipes 1  {\"price\":2.75} -> {\"price\":3}\n") != std::string::npos);
    CHECK(bench.captured.out.find("insert  outlets 8") != std::string::npos);
    CHECK(bench.captured.out.ends_with("position " + bench.at(6) + "\n"));
}

TEST_CASE("rows that come with a first load end all positions from before it, of those who follow that table")
{
    ChangesBench bench;
    const auto output = GENERATE(Output::text, Output::json);
    const auto refused = [&](const std::string& since, const std::string& go_on) {
        INFO(since);
        CHECK(bench.ask(since, output) == ExitCode::gap);
        CHECK(bench.captured.out.empty());
        CHECK(bench.captured.err.find("not in the change feed") != std::string::npos);
        CHECK(bench.captured.err.find("continue with --since " + go_on) != std::string::npos);
    };
    // From the empty mirror.
    refused(bench.feed + ":0", bench.at(3));
    CHECK(bench.captured.err.find("recipes;") != std::string::npos);
    CHECK(bench.ask(bench.at(0), output) == ExitCode::done);
    // A table that comes later.
    bench.load(R"({"id": 7})", "outlets");
    const auto behind = bench.at(3) + ".1";
    for (int seq = 0; seq <= 3; ++seq) {
        refused(bench.at(seq), behind);
        CHECK(bench.captured.err.find("outlets;") != std::string::npos);
    }
    CHECK(bench.ask(behind, output) == ExitCode::done);
    CHECK(bench.ask("now", output) == ExitCode::done);
    CHECK(bench.captured.out.find(behind) != std::string::npos);
    bench.command.resource = "recipes";
    CHECK(bench.ask(bench.at(0), output) == ExitCode::done);
    CHECK(bench.captured.out.find(behind) != std::string::npos);
    refused(bench.feed + ":0", behind);
    bench.command.resource = "outlets";
    refused(bench.at(3), behind);
    // Who has no table to bring up to date gets what is kept.
    bench.command.resource.clear();
    CHECK(bench.ask("", output) == ExitCode::done);
    CHECK(bench.captured.out.find(behind) != std::string::npos);
    bench.load(R"({"id": 7}, {"id": 8})", "outlets");
    CHECK(bench.ask(behind, output) == ExitCode::done);
    CHECK(bench.captured.out.find(bench.at(4)) != std::string::npos);
    CHECK(bench.ask(bench.at(3) + ".2", output) == ExitCode::done);  // as good as 3.1, which was the last one
}

TEST_CASE("following all tables ends with 4 when another one is loaded, and following one goes on")
{
    ChangesBench bench;
    bench.command.read.follow = true;
    StepsWhileAsleep clock({[&] { bench.load(R"({"id": 7})", "outlets"); },
                            [&] { bench.load(R"({"id": 1, "name": "Waffle", "price": 3}, {"id": 2})"); }});
    SECTION("all")
    {
        CHECK(bench.ask("now", Output::text, &clock) == ExitCode::gap);
        CHECK(bench.captured.err.find("outlets") != std::string::npos);
    }
    SECTION("what is kept, and then all")
    {
        CHECK(bench.ask("", Output::text, &clock) == ExitCode::gap);
    }
    SECTION("one")
    {
        bench.command.resource = "recipes";
        CHECK(bench.ask("now", Output::text, &clock) == ExitCode::done);
        CHECK(bench.captured.out.find("update  recipes 1") != std::string::npos);
    }
}

TEST_CASE("following ends with 4 when the mirror is made anew")
{
    ChangesBench bench;
    bench.command.read.follow = true;
    StepsWhileAsleep clock({[&] { bench.make_anew(); }});
    CHECK(bench.ask("now", Output::text, &clock) == ExitCode::gap);
    CHECK(bench.captured.err.find("is a position in another feed") != std::string::npos);
}

TEST_CASE("a named consumer gets what it has not acknowledged, and a new one is told where to begin")
{
    ChangesBench bench;
    bench.command.read.consumer = "bi";
    CHECK(bench.ask("") == ExitCode::gap);
    CHECK(bench.captured.err.find("consumer bi has acknowledged nothing in this mirror") != std::string::npos);
    CHECK(bench.captured.err.find("shelfctl changes antwerp --consumer bi --since " + bench.at(3) + " --ack") !=
          std::string::npos);
    REQUIRE(bench.mirror->acknowledge({"bi", bench.at(1), "etl"}));
    for (int i = 0; i < 2; ++i) {  // reading alone acknowledges nothing
        CHECK(bench.ask("") == ExitCode::done);
        CHECK(bench.captured.out.starts_with(bench.at(2) + "  "));
        CHECK(bench.captured.out.ends_with("position " + bench.at(3) + "\n"));
    }
    bench.load(R"({"id": 1})", "outlets");
    CHECK(bench.ask("") == ExitCode::gap);
    CHECK(bench.captured.err.find("received rows that are not in the change feed") != std::string::npos);
    CHECK(bench.captured.err.find("read the tables again, then continue with: shelfctl changes antwerp --consumer bi "
                                  "--since " +
                                  bench.at(3) + ".1 --ack\n") != std::string::npos);
    // That ends the gap.
    CHECK(bench.ask(bench.at(3) + ".1") == ExitCode::done);
}

TEST_CASE("a consumer that goes back to an older position is told so")
{
    ChangesBench bench;
    REQUIRE(bench.mirror->acknowledge({"bi", bench.at(2), "etl"}));
    bench.command.read.consumer = "bi";
    const auto told = [&bench](const std::string& position) {
        const auto& socket = bench.environment["SHELFD_SOCKET"];
        ::unlink(socket.c_str());  // of the call before
        const SocketServer server(socket, {http_answer(200, R"({"ok":true})")});
        bench.command.read.acknowledge_up_to = position;
        CHECK(bench.ask("") == ExitCode::done);
        return bench.captured.err;
    };
    CHECK(told(bench.at(2)).empty());
    CHECK(told(bench.at(3)).empty());
    CHECK(told(bench.at(1))
              .find("consumer bi had acknowledged " + bench.at(2) + " and goes back to " + bench.at(1) +
                    ": the changes between them are told to it again") != std::string::npos);
    bench.command.read.consumer = "etl";
    CHECK(told(bench.at(1)).empty());
}

TEST_CASE("what standard output did not take is not acknowledged")
{
    ChangesBench bench;
    REQUIRE(bench.mirror->acknowledge({"bi", bench.at(1), "etl"}));
    bench.command.read.consumer = "bi";
    bench.command.read.acknowledge = true;
    Terminal::Traits full;
    full.has_failed = [] { return true; };
    CapturedTerminal disk(full);
    const auto base = bench.context();
    CHECK(run_changes({base.command, base.environment, disk.terminal, base.clock, base.read_input}) ==
          ExitCode::failed);
    CHECK(disk.err.empty());
    CHECK(bench.ask("") == ExitCode::no_daemon);  // which alone can write it down
    CHECK(bench.one("SELECT position FROM _feed_consumers") == bench.at(1));
}

TEST_CASE("a table of which no changes are recorded is not told as one without changes")
{
    MirrorBench bench({{.name = "outlets", .changes = mirror::ChangeDetail::none}, {.name = "recipes"}});
    bench.command.verb = Verb::changes;
    bench.load(R"({"id": 1})", "outlets");
    bench.load(R"({"id": 1})");
    bench.command.resource = "outlets";
    CHECK(run_changes(bench.context()) == ExitCode::usage);
    CHECK(bench.captured.out.empty());
    CHECK(bench.captured.err.find("read the table outlets itself") != std::string::npos);
    bench.command.resource = "recipes";
    CHECK(run_changes(bench.context()) == ExitCode::done);
}

TEST_CASE("a clock that was wrong for a while opens no hole in the feed")
{
    ChangesBench bench;
    bench.time.step_wall(-std::chrono::hours(24 * 365));
    bench.load(R"({"id": 1, "name": "Tart"}, {"id": 2})");
    bench.time.step_wall(std::chrono::hours(24 * 365));
    bench.load(R"({"id": 1, "name": "Pie"}, {"id": 2})");
    CHECK(bench.one("SELECT count(*) || ' ' || min(seq) || ' ' || max(seq) FROM _changes") == "6 1 6");
    bench.time.step_wall(std::chrono::hours(24 * 91));
    bench.load(R"({"id": 1, "name": "Cake"}, {"id": 2})");
    CHECK(bench.one("SELECT count(*) || ' ' || min(seq) || ' ' || max(seq) FROM _changes") == "1 7 7");
}

}  // namespace
}  // namespace shelfd::ctl
