#include "ctl/status/quiet_text.hpp"

#include "control/sample_status.hpp"
#include "ctl/captured_terminal.hpp"
#include "ctl/pages/status_page.hpp"
#include "ctl/status/status_text.hpp"
#include "support/catch.hpp"

#include <chrono>

using namespace std::chrono_literals;

namespace shelfd::ctl {
namespace {

control::LibraryStatus waiting(const std::string& name, Duration left)
{
    auto table = control::sample_resource("recipes", TableState::fresh);
    table.next_due = table.quiet_until = control::sample_now + left;
    return control::sample_library(name, {table});
}

StatusView view_of(std::vector<control::LibraryStatus> libraries)
{
    StatusView view;
    static_cast<control::Status&>(view) = control::sample_status(std::move(libraries));
    return view;
}

TEST_CASE("libraries that wait for the end of quiet hours are one line for each end, with how to have a pass now")
{
    auto bruges = waiting("bruges", 3h);
    bruges.resources.push_back(control::sample_resource("stock", TableState::fresh));  // is fetched before
    auto paused = waiting("paused", 3h);
    paused.resources[0].state = TableState::paused;
    CHECK(quiet_text(view_of({bruges, paused})).empty());
    CHECK(
        quiet_text(view_of({waiting("antwerp", 3h), bruges})) ==
        "antwerp waits for the end of the quiet hours at 2024-01-06T09:00:00Z; to sync now: shelfctl sync antwerp\n\n");
    CHECK(quiet_text(
              view_of({waiting("a", 3h), waiting("b", 3h), waiting("c", 3h), waiting("d", 3h), waiting("e", 1h)})) ==
          "e waits for the end of the quiet hours at 2024-01-06T07:00:00Z; to sync now: shelfctl sync e\n"
          "a, b, 2 others wait for the end of the quiet hours at 2024-01-06T09:00:00Z; to sync now: shelfctl sync "
          "LIBRARY\n\n");
}

TEST_CASE("the next pass is marked where quiet hours delay it, on each screen")
{
    auto table = control::sample_resource("recipes", TableState::fresh);
    table.next_due = control::sample_now + 3h;
    CHECK(next_text(table, control::sample_now) == "in 3 h");
    table.quiet_until = table.next_due;
    CHECK(next_text(table, control::sample_now) == "in 3 h (quiet hours)");
    table.running.emplace();
    CHECK(next_text(table, control::sample_now) == "running");

    const auto view = view_of({waiting("antwerp", 3h)});
    CapturedTerminal captured;
    for (const auto detail : {Detail::trouble, Detail::tables}) {
        captured.out.clear();
        captured.terminal.print(status_text(view, detail, captured.terminal));
        CHECK(captured.out.find("in 3 h (quiet hours)") != std::string::npos);
        CHECK(captured.out.find("antwerp waits for the end of the quiet hours at 2024-01-06T09:00:00Z") !=
              std::string::npos);
    }
    CHECK(status_page(view).find("in 3 h (quiet hours)") != std::string::npos);
}

}  // namespace
}  // namespace shelfd::ctl
