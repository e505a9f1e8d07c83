#include "base/version.hpp"
#include "ctl/mirror_bench.hpp"
#include "ctl/socket_server.hpp"
#include "support/catch.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/core.h>

namespace shelfd::ctl {
namespace {

struct ExplainBench : MirrorBench {
    ExplainBench()
    {
        command.verb = Verb::explain;
        command.resource = "recipes";
        load(R"({"id": 1, "price": 2}, {"id": 2, "price": 4}, {"id": 3, "price": 5})");
        time.step_wall(std::chrono::hours(1));
        load(R"({"id": 1, "price": "free"}, {"id": 2, "price": 4}, {"id": 3, "price": 5})");
    }

    ExitCode ask(const std::string& key = "")
    {
        command.key = key;
        captured.out.clear();
        captured.err.clear();
        return run_explain(context());
    }
    bool says(const std::string& part) const { return captured.out.find(part) != std::string::npos; }
};

TEST_CASE("a table is explained by its state, its proof, its runs and its drift")
{
    ExplainBench bench;
    CHECK(bench.ask() == ExitCode::done);
    CHECK(
        bench.captured.out ==
        "recipes: fresh, 3 rows, as of 2024-01-06T07:00:00Z\n"
        "proven: complete as of 2024-01-06T07:00:00Z (single_page: one complete answer), run run-2\n"
        "runs, newest first:\n"
        "  2024-01-06T07:00:00Z  full  published, 1 request, 3 rows: 0 added, 1 changed, 0 deleted\n"
        "  2024-01-06T06:00:00Z  full  published, 1 request, 3 rows: 3 added, 0 changed, 0 deleted\n"
        "drift: price is integer and received text in 1 item, last 2024-01-06T07:00:00Z, item 1: \"free\"\n"
        "  drift loses nothing: such values are in _exact. To choose the kind again: shelfctl schema antwerp --retype "
        "recipes.COLUMN\n");
}

TEST_CASE("an unknown table, and an item that the mirror does not know, are told with what to type")
{
    ExplainBench bench;
    CHECK(bench.ask("99999") == ExitCode::done);
    CHECK(bench.says("item 99999: not in the table\n  the mirror knows no such item; to ask the service for it: "
                     "shelfctl verify antwerp recipes 99999\n"));
    bench.command.resource = "nope";
    CHECK(bench.ask() == ExitCode::usage);
    CHECK(bench.captured.err.find("; all of them: shelfctl schema antwerp") != std::string::npos);
}

TEST_CASE("a table that was never loaded says so, with what keeps it")
{
    ExplainBench bench;
    bench.command.resource = "outlets";
    REQUIRE(bench.mirror->set_state("outlets", {.blocked = mirror::Blocked::forbidden, .why = "no scope"}));
    REQUIRE(bench.mirror->record_run({.run_id = "r", .resource = "outlets", .error = "403"}));
    CHECK(bench.ask() == ExitCode::done);
    CHECK(bench.says("outlets: forbidden, 0 rows; nothing was published yet\n"
                     "why: no scope (since 2024-01-06T07:"));
    CHECK(bench.says("proven: never"));
    CHECK(bench.says("full  failed, 0 requests: 403\n"));
    CHECK(bench.ask("1") == ExitCode::done);
    CHECK(bench.says("item 1: not in the table\n"));
}

TEST_CASE("a next pass whose time has come is told so, and one to come is not")
{
    ExplainBench bench;
    bench.change(
        "UPDATE _resources SET next_due = '2024-01-06T08:00:00.000000Z', late_at = '2024-01-06T09:00:00.000000Z'");
    CHECK(bench.ask() == ExitCode::done);
    CHECK(bench.says(
        "next pass: due 2024-01-06T08:00:00Z, which is past; the daemon gave no status: shelfctl status shows why\n"));
    const auto running =
        http_answer(200, R"({"format_version":1,"pid":1,"now":"2024-01-06T08:01:00Z","libraries":[)"
                         R"({"name":"antwerp","state":"fresh","resources":[{"name":"recipes","state":"fresh",)"
                         R"("running":{"phase":"pages","page":2,"pages":5,"note":""}}]}]})");
    const SocketServer server(bench.environment["SHELFD_SOCKET"], {running, running});
    CHECK(bench.ask() == ExitCode::done);
    CHECK(bench.says("next pass: due 2024-01-06T08:00:00Z, which is past: it is running: page 2 of 5\n"));
    CHECK(bench.says("late: since 2024-01-06T09:00:00Z\n"));
    bench.command.output = Output::json;
    CHECK(bench.ask() == ExitCode::done);
    const auto overdue = boost::json::parse(bench.captured.out);
    CHECK(overdue.at("now") == "it is running: page 2 of 5");
    CHECK(overdue.at("waits_for").is_null());
    bench.command.output = Output::text;
    bench.change(
        "UPDATE _resources SET next_due = '2999-01-06T08:00:00.000000Z', late_at = '2999-01-06T09:00:00.000000Z'");
    CHECK(bench.ask() == ExitCode::done);
    CHECK(bench.says("next pass: due 2999-01-06T08:00:00Z\n"));
    CHECK(bench.says("late: at 2999-01-06T09:00:00Z, unless a pass is published before\n"));
}

TEST_CASE("of a retired table no next pass is told, because none will come")
{
    ExplainBench bench;
    bench.change("UPDATE _resources SET retired = 1, next_due = '2024-01-06T08:00:00.000000Z', "
                 "late_at = '2024-01-06T09:00:00.000000Z'");
    CHECK(bench.ask() == ExitCode::done);
    CHECK(bench.says("recipes: retired, 3 rows"));
    CHECK_FALSE(bench.says("next pass"));
    CHECK_FALSE(bench.says("late"));
    bench.command.output = Output::json;
    CHECK(bench.ask() == ExitCode::done);
    const auto story = boost::json::parse(bench.captured.out);
    for (const auto* member : {"next_due", "late_at", "now", "waits_for"}) {
        INFO(member);
        CHECK(story.at(member).is_null());
    }
}

TEST_CASE("a next pass that waits for the end of quiet hours is told so, if a daemon runs")
{
    ExplainBench bench;
    bench.change("UPDATE _resources SET next_due = '2999-01-06T06:00:00.000000Z'");
    const auto status = R"({"format_version":1,"libraries":[{"name":"antwerp","resources":[{"name":"recipes",)"
                        R"("state":"fresh","next_due":"2999-01-06T06:00:00.000000Z",)"
                        R"("quiet_until":"2999-01-06T06:00:00.000000Z"}]}]})";
    const SocketServer server(bench.environment["SHELFD_SOCKET"], {http_answer(200, status), http_answer(200, status)});
    bench.command.library = "antwerp";
    CHECK(bench.ask() == ExitCode::done);
    INFO(bench.captured.out);
    CHECK(bench.says("next pass: due 2999-01-06T06:00:00Z; it waits for the end of the quiet hours at "
                     "2999-01-06T06:00:00Z; to sync now: shelfctl sync antwerp\n"));
    bench.command.output = Output::json;
    CHECK(bench.ask() == ExitCode::done);
    const auto quiet = boost::json::parse(bench.captured.out);
    CHECK(quiet.at("waits_for") ==
          "waits for the end of the quiet hours at 2999-01-06T06:00:00Z; to sync now: shelfctl sync antwerp");
    CHECK(quiet.at("now").is_null());
}

TEST_CASE("a pass that a pause of the service holds up is told with its end")
{
    ExplainBench bench;
    bench.change("UPDATE _resources SET next_due = '2020-01-06T06:00:00.000000Z'");
    const auto status = R"({"format_version":1,"now":"2026-01-06T06:00:00.000000Z","libraries":[{"name":"antwerp",)"
                        R"("budget":{"group":"antwerp","limit":20,"paused_until":"2999-01-06T06:00:00.000000Z"},)"
                        R"("resources":[{"name":"recipes","state":"filling","running":{"started":)"
                        R"("2026-01-06T05:00:00.000000Z","phase":"pages",)"
                        R"("waits_for_limit_since":"2026-01-06T05:00:00.000000Z"}}]}]})";
    const SocketServer server(bench.environment["SHELFD_SOCKET"], {http_answer(200, status)});
    bench.command.library = "antwerp";
    CHECK(bench.ask() == ExitCode::done);
    INFO(bench.captured.out);
    CHECK(bench.says("rate limited by the service: no requests until 2999-01-06T06:00:00Z"));
}

TEST_CASE("a first load at a limit that is used up is told with the limit, also while no request waits for long")
{
    ExplainBench bench;
    const auto answer = [](const char* table) {
        return http_answer(200,
                           std::string(R"({"format_version":1,"now":"2026-01-06T06:00:00.000000Z","libraries":[)") +
                               R"({"name":"antwerp","budget":{"group":"antwerp","limit":6,"configured":6,"used":6},)"
                               R"("resources":[{"name":"recipes","state":"filling",)" +
                               table + "}]}]}");
    };
    const auto* running = R"("running":{"started":"2026-01-06T05:00:00.000000Z","phase":"pages","page":2})";
    const auto* queued = R"("why":"the first pass waits for other lists","next_due":"2026-01-06T05:00:00.000000Z")";
    const auto* waiting = R"("running":{"started":"2026-01-06T05:00:00.000000Z","phase":"pages",)"
                          R"("waits_for_limit_since":"2026-01-06T05:00:00.000000Z"})";
    const SocketServer server(bench.environment["SHELFD_SOCKET"], {answer(running), answer(queued), answer(waiting)});
    bench.command.library = "antwerp";
    for (const auto* part :
         {"it is running: page 2; the request limit is used up (6 requests a minute)",
          "the first pass waits for other lists; the request limit is used up (6 requests a minute)"}) {
        CHECK(bench.ask() == ExitCode::done);
        INFO(bench.captured.out);
        CHECK(bench.says(part));
    }
    CHECK(bench.ask() == ExitCode::done);
    INFO(bench.captured.out);
    CHECK(bench.says("it has been waiting for the request limit since 2026-01-06T05:00:00Z (6 requests a minute)"));
    CHECK_FALSE(bench.says("the request limit is used up"));  // said already
}

TEST_CASE("a pass that somebody has asked for is explained though the next one is due later")
{
    ExplainBench bench;
    bench.change("UPDATE _resources SET next_due = '2999-01-06T09:00:00.000000Z'");
    const auto answer = [](const char* table) {
        return http_answer(200,
                           std::string(R"({"format_version":1,"now":"2026-01-06T06:00:00.000000Z","libraries":[)") +
                               R"({"name":"antwerp","budget":{"group":"antwerp","limit":20,)"
                               R"("paused_until":"2999-01-06T06:00:00.000000Z"},"resources":[)"
                               R"({"name":"recipes","state":"fresh")" +
                               table + "}]}]}");
    };
    const auto* running = R"(,"running":{"started":"2026-01-06T05:00:00.000000Z","phase":"identity",)"
                          R"("waits_for_limit_since":"2026-01-06T05:00:00.000000Z"})";
    const auto* due = R"(,"next_due":"2026-01-06T06:00:00.000000Z")";
    const auto* later = R"(,"next_due":"2999-01-06T09:00:00.000000Z")";
    const SocketServer server(bench.environment["SHELFD_SOCKET"], {answer(running), answer(due), answer(later)});
    bench.command.library = "antwerp";
    for (const auto* part : {"\nnow: it has been waiting for the request limit since 2026-01-06T05:00:00Z",
                             "\nnow: it starts in a moment"}) {
        CHECK(bench.ask() == ExitCode::done);
        INFO(bench.captured.out);
        CHECK(bench.says("next pass: due 2999-01-06T09:00:00Z"));
        CHECK(bench.says(part));
        CHECK(bench.says("rate limited by the service: no requests until 2999-01-06T06:00:00Z"));
    }
    CHECK(bench.ask() == ExitCode::done);
    CHECK_FALSE(bench.says("\nnow: "));
}

TEST_CASE("a pause that the reason of a table names is not told twice")
{
    ExplainBench bench;
    bench.change("UPDATE _resources SET next_due = '2020-01-06T06:00:00.000000Z'");
    const auto status = R"({"format_version":1,"now":"2026-01-06T06:00:00.000000Z","libraries":[{"name":"antwerp",)"
                        R"("budget":{"group":"antwerp","limit":20,"paused_until":"2999-01-06T06:00:00.000000Z"},)"
                        R"("resources":[{"name":"recipes","state":"late","why":"the pass waits; rate limited by the )"
                        R"(service: no requests until 2999-01-06T06:00:00Z"}]}]})";
    const SocketServer server(bench.environment["SHELFD_SOCKET"], {http_answer(200, status)});
    bench.command.library = "antwerp";
    CHECK(bench.ask() == ExitCode::done);
    INFO(bench.captured.out);
    const auto& out = bench.captured.out;
    const std::string words = "no requests until";
    REQUIRE(out.find(words) != std::string::npos);
    CHECK(out.find(words, out.find(words) + 1) == std::string::npos);
}

TEST_CASE("a row is explained by its changes, or by their absence")
{
    ExplainBench bench;
    CHECK(bench.ask("1") == ExitCode::done);
    CHECK(bench.says("\nitem 1: in the table\n  changes, newest first:\n"
                     "  2024-01-06T07:00:00Z  update, run run-2  {\"price\":2} -> {\"price\":\"free\"}\n"));
    CHECK(bench.ask("2") == ExitCode::done);
    CHECK(bench.says("item 2: in the table\n  no change of it is kept"));
    CHECK(bench.ask("99") == ExitCode::done);
    CHECK(bench.says("item 99: not in the table\n"));
}

TEST_CASE("a row that passes lack says that it waits")
{
    ExplainBench bench;
    bench.change("UPDATE _state_recipes SET missed = 1 WHERE k1 = 3");
    CHECK(bench.ask("3") == ExitCode::done);
    CHECK(bench.says("item 3: in the table\n"
                     "  the last complete pass did not find it: it is deleted when a second piece of evidence"));
    bench.change("INSERT INTO _held VALUES ('recipes', '3', '2024-01-06T07:00:00.000000Z', 'run-2', 0, 'still there')");
    CHECK(bench.ask("3") == ExitCode::done);
    CHECK(bench.says("  held since 2024-01-06T07:00:00Z: still there\n"));
}

TEST_CASE("a key of which only a part is given is answered with the form of the whole key")
{
    MirrorBench bench({{.name = "skus", .key = {"sku"}}, {.name = "stock", .key = {"outlet", "sku"}}});
    bench.load(R"({"outlet": 1, "sku": "abc"})", "stock");
    bench.command.resource = "stock";
    for (const auto* key : {"1", "abc", "[1]", R"([1,"abc",2])"}) {
        bench.command.key = key;
        bench.captured.err.clear();
        CHECK(run_explain(bench.context()) == ExitCode::usage);
        CHECK(bench.captured.err.find("is not a key of stock: write outlet and sku as a list, texts in double quotes: "
                                      "'[7,\"a\"]'") != std::string::npos);
    }
    bench.command.key = R"([1,"abc"])";
    CHECK(run_explain(bench.context()) == ExitCode::done);
    CHECK(bench.mirror->item("stock", "7").error().text() ==
          "7 is not a key of stock: write outlet and sku as a list, texts in double quotes: '[7,\"a\"]'");
    const auto held = bench.mirror->decide("stock", {shelfd::HeldFate::keep, {"7"}});
    REQUIRE_FALSE(held);
    CHECK(held.error().text().find("write outlet and sku as a list") != std::string::npos);
}

TEST_CASE("a story as JSON has the members of the text")
{
    ExplainBench bench;
    bench.command.output = Output::json;
    REQUIRE(bench.mirror->store_state("recipes", {}, mirror::RunAsker{"run-2", "erik, jan"}));
    CHECK(bench.ask() == ExitCode::done);
    const auto table = boost::json::parse(bench.captured.out).as_object();
    CHECK(table.at("library") == "antwerp");
    CHECK(table.at("resource") == "recipes");
    CHECK(table.at("state") == "fresh");
    CHECK(table.at("rows") == 3);
    CHECK(table.at("as_of") == "2024-01-06T07:00:00.000000Z");
    CHECK(table.at("candidates") == 0);
    CHECK(table.at("why").is_null());
    CHECK(table.at("lists").is_null());
    CHECK(table.at("item").is_null());
    CHECK(table.at("now").is_null());
    CHECK(table.at("waits_for").is_null());
    CHECK(table.at("proof").at("kind") == "single_page");
    CHECK(table.at("proof").at("run_id") == "run-2");
    REQUIRE(table.at("runs").as_array().size() == 2);
    CHECK(table.at("runs").at(0).at("changed") == 1);
    CHECK(table.at("runs").at(0).at("asked_by") == "erik, jan");
    CHECK(table.at("runs").at(1).at("added") == 3);
    CHECK(table.at("runs").at(1).at("asked_by").is_null());
    CHECK(table.at("drift").at(0).at("column") == "price");

    CHECK(bench.ask("1") == ExitCode::done);
    const auto item = boost::json::parse(bench.captured.out).at("item").as_object();
    CHECK(item.at("key") == 1);
    CHECK(item.at("present") == true);
    CHECK(item.at("passes_without") == 0);
    CHECK(item.at("held").is_null());
    CHECK(item.at("changes").at(0).at("op") == "update");
    CHECK(item.at("changes").at(0).at("after").at("price") == "free");
    CHECK(bench.ask("99") == ExitCode::done);
    CHECK(boost::json::parse(bench.captured.out).at("item").at("present") == false);

    bench.change(
        "INSERT INTO _held VALUES ('recipes', '3', '2024-01-06T09:00:00.000000Z', 'r', 1, 'it still answers')");
    CHECK(bench.ask("3") == ExitCode::done);
    const auto held = boost::json::parse(bench.captured.out).at("item").at("held").as_object();
    CHECK(held.at("kept") == true);
    CHECK(held.at("why") == "it still answers");

    bench.command.resource = "recipies";
    CHECK(bench.ask() == ExitCode::usage);
    CHECK(bench.captured.out.empty());
}

TEST_CASE("a story tells who asked for a run")
{
    ExplainBench bench;
    REQUIRE(bench.mirror->store_state("recipes", {}, mirror::RunAsker{"run-2", "erik"}));
    CHECK(bench.ask() == ExitCode::done);
    CHECK(bench.says("3 rows: 0 added, 1 changed, 0 deleted; asked for by erik\n"));
    // A mirror of a daemon that did not record it yet.
    bench.change("ALTER TABLE _runs RENAME COLUMN asked_by TO former");
    CHECK(bench.ask() == ExitCode::done);
    CHECK_FALSE(bench.says("asked for by"));
}

TEST_CASE("a table that the mirror lacks is answered with those that it has, the nearest first")
{
    MirrorBench bench({{.name = "outlets"}, {.name = "sales"}, {.name = "recipes"}});
    bench.command.resource = "recipies";
    CHECK(run_explain(bench.context()) == ExitCode::usage);
    CHECK(bench.captured.err == "shelfctl: the mirror has no table recipies (known: recipes, outlets, sales); "
                                "all of them: shelfctl schema antwerp\n");
}

TEST_CASE("completion prints the libraries and tables of the mirrors, and nothing where there are none")
{
    MirrorBench bench({{.name = "outlets"}, {.name = "recipes"}});
    bench.command.verb = Verb::completion;
    bench.command.help.shell = "tables";
    CHECK(run_completion(bench.context()) == ExitCode::done);
    CHECK(bench.captured.out == "outlets\nrecipes\n");
    bench.captured.out.clear();
    bench.command.help.shell = "libraries";
    CHECK(run_completion(bench.context()) == ExitCode::done);
    CHECK(bench.captured.out == "antwerp\n");
    bench.captured.out.clear();
    bench.command.output = Output::json;
    CHECK(run_completion(bench.context()) == ExitCode::done);
    CHECK(bench.captured.out == "{\"libraries\":[\"antwerp\"]}\n");

    VerbBench none;
    none.command.library = "antwerp";
    for (const auto* what : {"tables", "libraries"}) {
        none.command.help.shell = what;
        CHECK(run_completion(none.context()) == ExitCode::done);
        CHECK((none.captured.out + none.captured.err).empty());
    }
}

TEST_CASE("the version and the completion of a shell are also JSON")
{
    VerbBench bench;
    CHECK(run_version(bench.context()) == ExitCode::done);
    CHECK(bench.captured.out == fmt::format("shelfctl {}\n", version));
    bench.command.help.shell = "zsh";
    bench.captured.out.clear();
    CHECK(run_completion(bench.context()) == ExitCode::done);
    const auto script = bench.captured.out;
    CHECK(script.starts_with("#compdef shelfctl"));
    bench.command.output = Output::json;
    bench.captured.out.clear();
    CHECK(run_completion(bench.context()) == ExitCode::done);
    const auto answer = boost::json::parse(bench.captured.out).as_object();
    CHECK(answer.at("shell") == "zsh");
    CHECK(std::string(answer.at("script").as_string()) == script);
    bench.captured.out.clear();
    CHECK(run_version(bench.context()) == ExitCode::done);
    CHECK(bench.captured.out == fmt::format("{{\"version\":\"{}\"}}\n", version));
}

TEST_CASE("keys that are texts, and keys of several columns, are found as typed")
{
    MirrorBench bench({{.name = "skus", .key = {"sku"}}, {.name = "stock", .key = {"outlet", "sku"}}});
    bench.load(R"({"sku": "7"}, {"sku": "abc"})", "skus");
    bench.load(R"({"outlet": 1, "sku": "abc"})", "stock");
    const auto says = [&](const std::string& resource, const std::string& key, const std::string& part) {
        bench.command.resource = resource;
        bench.command.key = key;
        bench.captured.out.clear();
        CHECK(run_explain(bench.context()) == ExitCode::done);
        CHECK(bench.captured.out.find(part) != std::string::npos);
    };
    says("skus", "abc", "item \"abc\": in the table");
    says("skus", "7", "item \"7\": in the table");
    says("skus", "\"7\"", "item \"7\": in the table");
    says("stock", R"([1, "abc"])", "item [1,\"abc\"]: in the table");
    says("stock", R"([2, "abc"])", "not in the table");
}

TEST_CASE("of lists by parent it says which cannot be walked, and of a row whose list it is from")
{
    MirrorBench bench(
        {{.name = "outlets"},
         {.name = "stock", .key = {"outlet", "id"}, .axis = "outlets id outlet", .parent_member = "outlet"}});
    mirror::PassStart start{.run_id = "round", .started = bench.time.now(), .as_of = bench.time.now()};
    auto& slice = start.slice.emplace();
    slice.name = slice.value = "7";
    slice.member = "outlet";
    auto pass = bench.mirror->begin_pass("stock", start);
    REQUIRE(pass);
    REQUIRE((*pass)->add_page(R"([{"id":1},{"id":2}])"));
    REQUIRE((*pass)->publish({.complete = true, .kind = "single_page", .one_answer = true}));
    const std::vector<mirror::MissedList> missed = {{"8", "403", bench.time.now()}};
    REQUIRE(bench.mirror->record_failed_lists("stock", missed, {.run_id = "round", .resource = "stock"}));
    REQUIRE(bench.mirror->end_round("stock", {.parents = {"7", "8"}}));
    bench.command.resource = "stock";
    CHECK(run_explain(bench.context()) == ExitCode::done);
    CHECK(bench.captured.out.find("lists: 2, one for each outlet, the oldest as of ") != std::string::npos);
    CHECK(bench.captured.out.find("  outlet 8: 403; rows: 0, as of never\n") != std::string::npos);
    bench.captured.out.clear();
    bench.command.key = "[7,2]";
    CHECK(run_explain(bench.context()) == ExitCode::done);
    CHECK(bench.captured.out.find("item [7,2]: in the table\n  list of outlet 7: as of ") != std::string::npos);
}

TEST_CASE("a table that is not there says which are")
{
    ExplainBench bench;
    bench.command.resource = "sales";
    CHECK(bench.ask() == ExitCode::usage);
    CHECK(bench.captured.err.find("no table sales (known: outlets, recipes)") != std::string::npos);
}

}  // namespace
}  // namespace shelfd::ctl
