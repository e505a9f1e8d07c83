#include "ctl/status/selection.hpp"

#include "control/api/reply_json.hpp"
#include "control/causes/cause_finder.hpp"
#include "control/sample_status.hpp"
#include "ctl/pages/check_text.hpp"
#include "ctl/pages/status_page.hpp"
#include "ctl/status/status_view.hpp"
#include "support/catch.hpp"

#include <algorithm>

namespace shelfd::ctl {
namespace {

using namespace std::chrono_literals;
using control::sample_now;

control::Status mixed_status()
{
    auto late = control::sample_resource("recipes", TableState::late);
    late.trouble = Trouble::passing;
    late.why = "the service answered 502 with <b>&\"' | here";
    late.since = sample_now - 20min;
    auto status = control::sample_status(
        {control::sample_library("library10", {control::sample_resource("recipes", TableState::fresh),
                                               control::sample_resource("stock", TableState::fresh)}),
         control::sample_library("library9", {late, control::sample_resource("stock", TableState::fresh)})});
    status.notices.push_back({"the last reload was refused", "shelfctl config check", std::nullopt});
    status.problems = control::find_causes(status);
    return status;
}

StatusView selected(const Selection& selection)
{
    const auto json = select(control::to_json(mixed_status()), selection);
    REQUIRE(json);
    auto view = read_status(*json);
    REQUIRE(view);
    return std::move(*view);
}

TEST_CASE("a selection keeps the tables asked for, their libraries, and the problems that affect them")
{
    const auto library = selected({"library10", "", std::nullopt});
    REQUIRE(library.libraries.size() == 1);
    CHECK(library.libraries[0].resources.size() == 2);
    CHECK(library.problems.empty());
    CHECK(library.notices.empty());
    CHECK(number_of(control::exit_code(library)) == 0);

    const auto table = selected({"", "recipes", std::nullopt});
    REQUIRE(table.libraries.size() == 2);
    CHECK(table.libraries[0].resources.size() == 1);
    REQUIRE(table.problems.size() == 1);
    CHECK(table.problems[0].kind == control::CauseKind::service);
    CHECK(number_of(control::exit_code(table)) == 1);

    const auto other = selected({"", "stock", std::nullopt});
    CHECK(other.problems.empty());
    CHECK(number_of(control::exit_code(other)) == 0);

    const auto late = selected({"", "", TableState::late});
    REQUIRE(late.libraries.size() == 1);
    CHECK(late.libraries[0].name == "library9");
    CHECK(late.problems.size() == 1);
    CHECK(selected({"", "", TableState::held}).libraries.empty());
}

TEST_CASE("what is no status is not selected from")
{
    for (const auto* text : {"", "[]", "{", "7"}) {
        CHECK_FALSE(select(text, {"a", "", std::nullopt}));
        CHECK_FALSE(select_problems(text, "x"));
    }
    CHECK(select(R"({"libraries": [3, {"name": 4}], "problems": [1, {"affected": 2}]})", {"a", "", std::nullopt}));
}

TEST_CASE("a problem is selected by id, incident or cause")
{
    const auto status = mixed_status();
    const auto json = control::to_json(status);
    CHECK(select_problems(json, "service")->find("\"cause\":\"service\"") != std::string::npos);
    CHECK(select_problems(json, problem_id(status.problems[0]))->size() > 2);
    CHECK(*select_problems(json, "library9") == "[]");
}

TEST_CASE("as a plugin: one line with performance data, in which no foreign text begins a second part")
{
    auto view = read_status(control::to_json(mixed_status()));
    REQUIRE(view);
    const auto text = check_text(*view, control::exit_code(*view));
    const auto line = text.substr(0, text.find('\n'));
    INFO(line);
    CHECK(line.find("SHELFD WARNING: late: library9 recipes; ") == 0);
    CHECK(line.find("; 3 of 4 tables fresh | ") != std::string::npos);
    CHECK(line.find("libraries=2 tables=4 fresh=3 late=1 filling=0 held=0") != std::string::npos);
    CHECK(line.find("oldest=90s") != std::string::npos);
    CHECK(std::count(text.begin(), text.end(), '|') == 1);
    CHECK(text.find("library9 recipes: late: the service answered 502") != std::string::npos);
    CHECK(check_unknown("no | daemon\nhere") == "SHELFD UNKNOWN: no / daemon\\nhere\n");
}

TEST_CASE("the words of a plugin follow the exit code")
{
    const StatusView empty;
    CHECK(check_text(empty, ExitCode::done).find("SHELFD OK: no trouble") == 0);
    CHECK(check_text(empty, ExitCode::needs_person).find("SHELFD CRITICAL") == 0);
    CHECK(check_text(empty, ExitCode::no_daemon).find("SHELFD UNKNOWN") == 0);
}

TEST_CASE("the page shows problems and every table, foreign text as text")
{
    auto view = read_status(control::to_json(mixed_status()));
    REQUIRE(view);
    const auto page = status_page(*view);
    CHECK(page.find("<!DOCTYPE html>") == 0);
    CHECK(page.find("502 with &lt;b&gt;&amp;&quot;&#39; | here") != std::string::npos);
    CHECK(page.find("<b>&\"") == std::string::npos);
    CHECK(page.find("<code>shelfctl config check</code>") != std::string::npos);
    CHECK(page.find("<td>library10</td><td>stock</td><td class=\"green\">fresh</td>") != std::string::npos);
    CHECK(page.find("<script") == std::string::npos);
}

}  // namespace
}  // namespace shelfd::ctl
