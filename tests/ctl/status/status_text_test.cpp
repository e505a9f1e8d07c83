#include "ctl/status/status_text.hpp"

#include "control/causes/cause_finder.hpp"
#include "ctl/captured_terminal.hpp"
#include "ctl/status/problem_list.hpp"
#include "ctl/status/selection.hpp"
#include "ctl/status/status_view.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

namespace shelfd::ctl {
namespace {

// As the daemon says it: antwerp has lost its set, ghent is late with two tables for one reason and refused a third.
constexpr auto troubled = R"({
  "format_version": 1, "version": "0.1.0", "pid": 4711, "now": "2024-01-06T06:00:00.000000Z",
  "headline": "needs a person: antwerp; late: ghent stock, ghent sales; 1 of 6 tables fresh", "exit_code": 2,
  "notices": [{"text": "the last reload was refused: x.toml:3:1: unknown key", "do_this": "shelfctl config check",
               "since": "2024-01-06T05:59:30.000000Z"}],
  "libraries": [
    {"name": "antwerp", "state": "needs_person", "origin": "https://api.example.com", "library_id": "42",
     "identity_verified": true, "mirror": "/m/antwerp/antwerp.db",
     "token": {"state": "lost", "needs_person": true, "generation": 7, "since": "2024-01-06T04:00:00.000000Z",
               "expires_at": null, "last_refresh": "2024-01-03T06:00:00.000000Z", "next_refresh": null,
               "deadline": "2024-01-06T09:00:00.000000Z", "reason": "the answer to the last refresh was lost",
               "do_this": "shelfctl auth import antwerp", "facts": {"scope": "library"}},
     "resources": [
       {"name": "recipes", "state": "needs_person", "why": "no token", "do_this": "shelfctl auth import antwerp",
        "since": "2024-01-06T04:00:00.000000Z", "rows": 6100, "as_of": "2024-01-06T03:00:00.000000Z",
        "proven_as_of": null, "next_due": null, "running": null, "last_run": null},
       {"name": "stock", "state": "needs_person", "why": "no token", "rows": 0, "as_of": null}]},
    {"name": "ghent", "state": "forbidden", "origin": "https://api.example.com", "library_id": null,
     "identity_verified": false,
     "token": {"state": "good", "needs_person": false, "generation": 1,
               "next_refresh": "2024-01-09T18:00:00.000000Z"},
     "resources": [
       {"name": "stock", "state": "late", "why": "500 from the service", "since": "2024-01-06T05:40:00.000000Z",
        "rows": 10, "as_of": "2024-01-06T05:00:00.000000Z", "next_due": "2024-01-06T06:00:58.000000Z",
        "last_run": {"result": "failed", "error": "500 from the service"}},
       {"name": "sales", "state": "late", "why": "500 from the service", "since": "2024-01-06T05:30:00.000000Z",
        "rows": 20, "as_of": "2024-01-06T05:10:00.000000Z", "complete_from": "2022-12-31T23:00:00.000000Z",
        "complete_to": "2024-01-06T05:10:00.000000Z", "next_due": "2024-01-06T06:02:30.000000Z",
        "running": {"phase": "pages", "page": 3, "pages": 12, "rows": 400, "rows_per_second": 212.4,
                    "eta_seconds": 40.5, "note": ""}},
       {"name": "users", "state": "forbidden", "why": "403: scope accounts is missing",
        "do_this": "ask the owner for the scope accounts", "since": "2024-01-06T01:00:00.000000Z", "rows": 0},
       {"name": "outlets", "state": "fresh", "why": "", "rows": 3, "as_of": "2024-01-06T05:59:58.000000Z",
        "proven_as_of": "2024-01-06T05:59:58.000000Z", "next_due": "2024-01-06T06:59:58.000000Z",
        "last_run": {"result": "published", "added": 1, "changed": 2, "deleted": 0, "requests": 1}},
       {"name": "old", "state": "retired", "rows": 99}]}]
})";

StatusView view_of(std::string_view json)
{
    auto status = read_status(json);
    REQUIRE(status);
    status->problems = control::find_causes(*status);
    return std::move(*status);
}

TEST_CASE("the status shows trouble worst first, each cause once, with what to type")
{
    CapturedTerminal captured;
    const auto text = status_text(view_of(troubled), Detail::trouble, captured.terminal).bytes();
    CHECK(text ==
          "needs a person: antwerp; late: ghent stock, ghent sales; 1 of 6 tables fresh\n\n"
          "antwerp (all 2 tables): needs person, since 2024-01-06T04:00:00Z (2 h ago): the answer to the last refresh "
          "was "
          "lost\n"
          "  syncing stops at 2024-01-06T09:00:00Z (in 3 h) unless a person acts\n"
          "  do this: shelfctl auth import antwerp\n"
          "  meanwhile the daemon syncs until the access token ends at 2024-01-06T09:00:00Z\n\n"
          "ghent users: forbidden, since 2024-01-06T01:00:00Z (5 h ago): 403: scope accounts is missing\n"
          "  do this: ask the owner for the scope accounts\n\n"
          "ghent stock, sales: late, since 2024-01-06T05:30:00Z (30 min ago): 500 from the service\n"
          "  nothing to do: the daemon tries again at 2024-01-06T06:00:58Z (in 58 s)\n\n"
          "shelfd, since 2024-01-06T05:59:30Z (30 s ago): the last reload was refused: x.toml:3:1: unknown key\n"
          "  do this: shelfctl config check\n\n"
          "LIBRARY  STATE         ROWS  LAST SYNC   NEXT     TOKEN\n"
          "antwerp  needs person  6100  3 h ago     -        lost, ends in 3 h\n"
          "ghent    forbidden       33  60 min ago  running  good, rotates in 3 d\n");
}

TEST_CASE("trouble that ends without help says until when tables are in time, or since when nothing is synced")
{
    CapturedTerminal captured;
    const auto text = [&captured](std::string_view json) {
        return status_text(view_of(json), Detail::trouble, captured.terminal).bytes();
    };
    CHECK(text(R"({"format_version": 1, "now": "2024-01-06T06:00:00.000000Z", "libraries": [
        {"name": "antwerp", "origin": "https://api.example.com", "state": "fresh",
         "token": {"state": "good", "access_usable": true},
         "resources": [{"name": "recipes", "state": "fresh", "trouble": "passing", "why": "the service answered 503",
                        "since": "2024-01-06T05:30:00.000000Z", "next_due": "2024-01-06T06:01:00.000000Z",
                        "late_at": "2024-01-06T08:00:00.000000Z"}]}]})")
              .find("  the first table is late at 2024-01-06T08:00:00Z (in 2 h)\n") != std::string::npos);
    CHECK(text(R"({"format_version": 1, "now": "2024-01-06T06:00:00.000000Z", "libraries": [
        {"name": "antwerp", "origin": "https://api.example.com", "state": "fresh",
         "token": {"state": "in_doubt", "access_usable": false, "reason": "a refresh was not answered",
                   "since": "2024-01-06T05:30:00.000000Z"},
         "resources": [{"name": "recipes", "state": "fresh"}]}]})")
              .find("  syncing stopped at 2024-01-06T05:30:00Z (30 min ago)\n") != std::string::npos);
}

TEST_CASE("a consumer whose changes are not in the feed any more must read the tables again")
{
    const auto text = [](std::string_view flag) {
        CapturedTerminal captured;
        const auto json = fmt::format(R"({{"format_version": 1, "now": "2024-01-06T06:00:00.000000Z", "libraries": [
            {{"name": "antwerp", "state": "fresh", "token": {{"state": "good", "access_usable": true}},
              "resources": [{{"name": "recipes", "state": "fresh"}}],
              "consumers": [{{"name": "bi", "waiting": 44, "acknowledged_at": "2024-01-06T05:00:00.000000Z",
                             "acknowledged_by": "etl", "must_read_tables": {}, "loaded": ["recipes", "units"]}}]}}]}})",
                                      flag);
        return status_text(view_of(json), Detail::tables, captured.terminal).bytes();
    };
    const auto lost = text("true");
    CHECK(lost.find("antwerp consumer bi must read the tables again") != std::string::npos);
    CHECK(lost.find("shelfctl changes antwerp --consumer bi") != std::string::npos);
    CHECK(lost.find("44 changes") == std::string::npos);
    const auto behind = text("false");
    CHECK(behind.find("antwerp consumer bi has not acknowledged 44 changes") != std::string::npos);
    CHECK(behind.find("it must read these tables again, which received rows that are not in the change feed: recipes, "
                      "units\n") != std::string::npos);
}

TEST_CASE("with --all there is a line for each table")
{
    CapturedTerminal captured;
    const auto text = status_text(view_of(troubled), Detail::tables, captured.terminal).bytes();
    const auto begin = text.find("LIBRARY  TABLE");
    REQUIRE(begin != std::string::npos);
    CHECK(text.substr(begin) ==
          "LIBRARY  TABLE    STATE         ROWS  AS OF       PROVEN   NEXT       LAST PASS\n"
          "antwerp  recipes  needs person  6100  3 h ago     -        -          -\n"
          "antwerp  stock    needs person     0  -           -        -          -\n"
          "ghent    stock    late            10  60 min ago  -        in 58 s    failed: 500 from the service\n"
          "ghent    sales    late            20  50 min ago  -        running    page 3 of 12, 400 rows, 212 rows/s, "
          "40 s "
          "left\n"
          "ghent    users    forbidden        0  -           -        -          -\n"
          "ghent    outlets  fresh            3  2 s ago     2 s ago  in 59 min  +1 ~2 -0, 1 request\n"
          "ghent    old      retired         99  -           -        -          -\n"
          "\n"
          "ghent sales is complete from 2022-12-31T23:00:00Z to 2024-01-06T05:10:00Z\n");
}

TEST_CASE("details have a line of their own, and make no library look older than its lists")
{
    const auto status = view_of(R"({"format_version": 1, "now": "2024-01-06T06:00:00.000000Z", "libraries": [
        {"name": "antwerp", "state": "fresh", "token": {"state": "good"}, "resources": [
            {"name": "recipes", "state": "fresh", "rows": 200, "as_of": "2024-01-06T05:59:00.000000Z"},
            {"name": "recipes_detail", "state": "fresh", "rows": 197, "as_of": "2023-12-20T06:00:00.000000Z",
             "detail": {"share": 0.9949, "pending": 1, "gone": 2, "oldest": "2023-12-20T06:00:00.000000Z"}}]}]})");
    CapturedTerminal captured;
    const auto text = status_text(status, Detail::tables, captured.terminal).bytes();
    CHECK(text.find("antwerp  fresh   397  60 s ago") != std::string::npos);
    CHECK(text.find("99 % fetched, 1 to fetch, 2 have none") != std::string::npos);
    CHECK(find_troubles(status).empty());
}

TEST_CASE("details that have arrived and are not published yet are counted before the first of them is in the table")
{
    const auto cell = [](int rows) {
        const auto status = view_of(fmt::format(
            R"({{"format_version": 1, "now": "2024-01-06T06:00:00.000000Z", "libraries": [
            {{"name": "antwerp", "state": "filling", "token": {{"state": "good"}}, "resources": [
                {{"name": "recipes_detail", "state": "filling", "rows": {},
                  "running": {{"started": "2024-01-06T05:59:00.000000Z", "phase": "details", "rows": 20, "count": 100}},
                  "detail": {{"share": 0, "pending": 100, "gone": 0}}}}]}}]}})",
            rows));
        CapturedTerminal captured;
        return status_text(status, Detail::tables, captured.terminal).bytes();
    };
    CHECK(cell(0).find("0 % fetched, 100 to fetch; 20 arrived, and will be published in a moment") !=
          std::string::npos);
    CHECK(cell(20).find("arrived") == std::string::npos);
}

TEST_CASE("one cause in several libraries is one trouble")
{
    StatusView status;
    for (const auto* name : {"antwerp", "ghent"}) {
        control::LibraryStatus library;
        library.name = name;
        for (const auto* table : {"recipes", "stock"}) {
            control::ResourceStatus resource;
            resource.name = table;
            resource.state = TableState::late;
            resource.why = "the service does not answer";
            library.resources.push_back(resource);
        }
        status.libraries.push_back(library);
    }
    const auto troubles = find_troubles(status);
    REQUIRE(troubles.size() == 1);
    CHECK(troubles[0].who == "antwerp (all 2 tables); ghent (all 2 tables)");
}

TEST_CASE("a bug that has stopped a library comes first, with when it begins again and what to send")
{
    const auto status = view_of(R"({"format_version": 1, "now": "2024-01-06T06:00:00.000000Z", "libraries": [
        {"name": "antwerp", "state": "bug", "token": {"state": "good"},
         "bug": {"what": "recipes: vector::at", "since": "2024-01-06T05:00:00.000000Z", "times": 3,
                 "again_at": "2024-01-06T06:02:00.000000Z", "do_this": "send a bug report"},
         "resources": [{"name": "recipes", "state": "late", "rows": 2}]}]})");
    CapturedTerminal captured;
    const auto text = status_text(status, Detail::trouble, captured.terminal).bytes();
    INFO(text);
    CHECK(text.find("antwerp: bug, since 2024-01-06T05:00:00Z (60 min ago): recipes: vector::at, 3 times\n"
                    "  do this: send a bug report\n"
                    "  meanwhile the daemon keeps the token set, and restarts the library at 2024-01-06T06:02:00Z\n") ==
          0);
    CHECK(text.find("antwerp  bug ") != std::string::npos);
    CHECK(number_of(control::exit_code(status)) == 2);
}

TEST_CASE("a table that fills as it should is no trouble")
{
    StatusView status;
    control::LibraryStatus library;
    library.name = "antwerp";
    for (const auto state : {TableState::filling, TableState::fresh, TableState::paused, TableState::retired}) {
        control::ResourceStatus resource;
        resource.name = to_string(state);
        resource.state = state;
        library.resources.push_back(resource);
    }
    status.libraries.push_back(library);
    CHECK(find_troubles(status).empty());
    status.libraries[0].resources[0].why = "500 since noon";
    CHECK(find_troubles(status).size() == 1);
}

TEST_CASE("snapshots that cannot be made are trouble, though every table is fresh")
{
    const auto status = view_of(R"({"format_version": 1, "now": "2024-01-06T06:00:00.000000Z", "libraries": [
        {"name": "antwerp", "token": {"state": "good"}, "resources": [{"name": "recipes", "state": "fresh", "why": ""}],
         "snapshot": {"made_at": "2024-01-04T06:00:00.000000Z", "trouble": "no room for 2 GB",
                      "since": "2024-01-05T06:00:00.000000Z"}}]})");
    const auto troubles = find_troubles(status);
    REQUIRE(troubles.size() == 1);
    CHECK(troubles.front().why == "the snapshot is of 2024-01-04T06:00:00Z: no room for 2 GB");
    CHECK(troubles.front().do_this.find("shelfctl snapshot antwerp") == 0);
}

TEST_CASE("the exit code follows the worst")
{
    const auto code = [](TableState state) {
        StatusView status;
        control::LibraryStatus library;
        control::ResourceStatus resource;
        resource.state = state;
        library.resources.push_back(resource);
        status.libraries.push_back(library);
        return number_of(control::exit_code(status));
    };
    for (const auto state : {TableState::fresh, TableState::paused, TableState::retired}) {
        CHECK(code(state) == 0);
    }
    for (const auto state : {TableState::late, TableState::filling}) {
        CHECK(code(state) == 1);
    }
    for (const auto state :
         {TableState::wrong_library, TableState::needs_person, TableState::forbidden, TableState::held}) {
        CHECK(code(state) == 2);
    }
    auto status = view_of(troubled);
    std::erase_if(status.libraries, [](const auto& library) { return library.name != "ghent"; });
    status.libraries[0].resources.clear();
    status.problems.clear();
    CHECK(number_of(control::exit_code(status)) == 0);
    status.libraries[0].token.needs_person = true;
    CHECK(number_of(control::exit_code(status)) == 2);
}

TEST_CASE("a status of another format is refused, one with members missing is not")
{
    CHECK(read_status(R"({"format_version": 1})"));
    const auto later = read_status(R"({"format_version": 2, "version": "9.0"})");
    REQUIRE_FALSE(later);
    CHECK(later.error().text().find("version 9.0") != std::string::npos);
    for (const auto* text : {"", "[]", "{", "hello", R"({"libraries": []})"}) {
        CHECK_FALSE(read_status(text));
    }
    CHECK(read_status(R"({"format_version": 1, "libraries": [7, {"resources": "none", "token": 3}], "notices": {}})"));
}

TEST_CASE("the JSON of one library is that of all less the others")
{
    const auto limited = select(troubled, {"ghent", "", std::nullopt});
    REQUIRE(limited);
    const auto status = read_status(*limited);
    REQUIRE(status);
    REQUIRE(status->libraries.size() == 1);
    CHECK(status->libraries[0].name == "ghent");
    CHECK(status->headline.empty());
    CHECK(limited->find("\"exit_code\"") == std::string::npos);
}

}  // namespace
}  // namespace shelfd::ctl
