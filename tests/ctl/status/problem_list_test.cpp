#include "ctl/status/problem_list.hpp"

#include "control/api/reply_json.hpp"
#include "control/causes/cause_finder.hpp"
#include "control/sample_status.hpp"
#include "ctl/captured_terminal.hpp"
#include "ctl/status/problem_text.hpp"
#include "ctl/status/status_text.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

namespace shelfd::ctl {
namespace {

using namespace std::chrono_literals;
using control::sample_now;

StatusView view_of(const control::Status& status)
{
    auto view = read_status(control::to_json(status));
    REQUIRE(view);
    return std::move(*view);
}

control::Status with_problems(std::vector<control::LibraryStatus> libraries)
{
    auto status = control::sample_status(std::move(libraries));
    status.problems = control::find_causes(status);
    return status;
}

control::LibraryStatus fine(const std::string& name)
{
    return control::sample_library(name, {control::sample_resource("recipes", TableState::fresh),
                                          control::sample_resource("stock", TableState::fresh)});
}

control::LibraryStatus with_lost_set(const std::string& name)
{
    auto library = fine(name);
    for (auto& table : library.resources) {
        table.state = TableState::needs_person;
    }
    library.token.state = TokenState::lost;
    library.token.needs_person = true;
    library.token.reason =
        "the answer to the refresh of 2024-01-06T05:" + std::to_string(10 + name.size()) + ":00Z was lost for " + name;
    library.token.do_this = "shelfctl auth import " + name;
    library.token.since = sample_now - 1h;
    return library;
}

control::LibraryStatus with_failing_service(const std::string& name)
{
    auto library = fine(name);
    for (auto& table : library.resources) {
        table.state = TableState::late;
        table.trouble = shelfd::Trouble::passing;
        table.why = "the service answered 502";
        table.since = sample_now - 20min;
        table.next_due = sample_now + 90s;
    }
    return library;
}

TEST_CASE("a consumer that lags loses changes at a time, and syncing goes on")
{
    auto library = fine("antwerp");
    control::FeedConsumer slow;
    slow.name = "bi";
    slow.waiting = 44;
    slow.waiting_since = sample_now - 6 * 24h;
    slow.kept_until = sample_now + 24h;
    library.consumers = {slow};
    const auto view = view_of(with_problems({library}));
    CapturedTerminal captured;
    const auto text = status_text(view, Detail::trouble, captured.terminal).bytes() +
                      problem_text(view.problems, sample_now, captured.terminal).bytes();
    CHECK(text.find("keeps these changes until 2024-01-07T06:00:00Z") != std::string::npos);
    CHECK(text.find("syncing stop") == std::string::npos);
}

TEST_CASE("a state is said of troubled tables only if it is that of all")
{
    auto library = with_failing_service("antwerp");
    auto other = with_failing_service("ghent");
    for (auto& table : other.resources) {
        table.state = TableState::fresh;
    }
    const auto words_of = [](std::vector<control::LibraryStatus> libraries) {
        const auto troubles = find_troubles(view_of(with_problems(std::move(libraries))));
        REQUIRE(troubles.size() == 1);
        return troubles.front().state;
    };
    CHECK(words_of({library}) == "late");
    CHECK(words_of({library, other}) == "the service fails");
    library.resources.front().state = TableState::fresh;
    CHECK(words_of({library}) == "the service fails");
}

TEST_CASE("a table whose pass waits for the end of a pause is not said to be tried now")
{
    auto library = fine("antwerp");
    auto& table = library.resources.front();
    table.state = TableState::filling;
    table.why = "the first pass has not ended";
    table.running.emplace();
    auto view = view_of(control::sample_status({library}));
    auto troubles = find_troubles(view);
    REQUIRE(troubles.size() == 1);
    CHECK(troubles.front().next == "is filling it now");
    view.libraries.front().budget.paused_until = sample_now + 10min;
    troubles = find_troubles(view);
    REQUIRE(troubles.size() == 1);
    CHECK(troubles.front().next.empty());
    CHECK(troubles.front().next_try == sample_now + 10min);
}

std::size_t rows_at(const StyledText& text, std::size_t width)
{
    std::size_t rows = 0;
    std::string_view bytes = text.bytes();
    while (!bytes.empty()) {
        const auto end = std::min(bytes.find('\n'), bytes.size());
        rows += std::max<std::size_t>((display_width(bytes.substr(0, end)) + width - 1) / width, 1);
        bytes.remove_prefix(std::min(end + 1, bytes.size()));
    }
    return rows;
}

TEST_CASE("token stores that look copied are adopted all at once by one command, which is named")
{
    CapturedTerminal captured;
    Trouble trouble;
    trouble.who = "antwerp, ghent";
    trouble.do_this = "if no other daemon uses this set: shelfctl auth adopt antwerp";
    const auto text = [&] { return std::string(trouble_text(trouble, Instant(), captured.terminal).bytes()); };
    CHECK(text().find("--all") == std::string::npos);
    trouble.for_each = true;
    CHECK(text().find("shelfctl auth adopt antwerp; or for all of them at once: shelfctl auth adopt --all\n") !=
          std::string::npos);
    trouble.do_this = "shelfctl auth import antwerp";
    CHECK(text().find("--all") == std::string::npos);
}

TEST_CASE("400 libraries, 39 of them in trouble for two causes, fit on a screen of 80 x 24, which says both")
{
    std::vector<control::LibraryStatus> libraries;
    for (int i = 0; i < 400; ++i) {
        const auto name = fmt::format("library{}", i);
        libraries.push_back(i < 20 ? with_lost_set(name) : i < 39 ? with_failing_service(name) : fine(name));
    }
    CapturedTerminal captured;
    const auto text = status_text(view_of(with_problems(std::move(libraries))), Detail::trouble, captured.terminal);
    INFO(text.bytes());
    CHECK(rows_at(text, 80) <= 23);
    CHECK(text.bytes().find("library0, library1, library2 and 17 more libraries: needs person") != std::string::npos);
    CHECK(text.bytes().find("do this for each, as for the first: shelfctl auth import library0\n") !=
          std::string::npos);
    CHECK(text.bytes().find("library20, library21, library22 and 16 more libraries: late") != std::string::npos);
    CHECK(text.bytes().find("20 libraries need a person, 19 are late, 361 are fresh; shelfctl status --all") !=
          std::string::npos);
}

TEST_CASE("libraries of one cause that need different acts are told apart, whichever comes first")
{
    const std::string other = GENERATE("aalst", "namur");  // before and behind the renamed one
    std::vector<control::LibraryStatus> libraries{with_lost_set("gent"), with_lost_set(other)};
    libraries[0].token.do_this =
        "if ghent is its former name: shelfctl library rename ghent gent; otherwise: shelfctl auth import gent";
    CapturedTerminal captured;
    const auto text = status_text(view_of(with_problems(std::move(libraries))), Detail::trouble, captured.terminal);
    INFO(text.bytes());
    CHECK(text.bytes().find("library rename ghent gent") != std::string::npos);
    CHECK(text.bytes().find("shelfctl auth import " + other + "\n") != std::string::npos);
    CHECK(text.bytes().find("for each") == std::string::npos);
}

TEST_CASE("lists that are wrong in the same way are one trouble, whichever and however many they are in a library")
{
    const auto spoil = [](control::ResourceStatus& table) {
        table.state = TableState::needs_person;
        table.trouble = shelfd::Trouble::needs_person;
        table.why = "the service has no such list (404)";
        table.do_this = fmt::format("correct [resource.{}], then: shelfctl reload", table.name);
    };
    std::vector<control::LibraryStatus> libraries{fine("antwerp"), fine("ghent")};
    spoil(libraries[0].resources[0]);
    spoil(libraries[0].resources[1]);
    spoil(libraries[1].resources[1]);
    const auto status = view_of(with_problems(std::move(libraries)));
    CHECK(status.problems.size() == 1);
    const auto troubles = find_troubles(status);
    REQUIRE(troubles.size() == 1);
    CHECK(troubles[0].do_this == "correct [resource.recipes] (and the same for stock), then: shelfctl reload");
    CHECK(troubles[0].for_each);
}

TEST_CASE("400 libraries with long names, 39 of them in trouble that people must end, fit on a screen with the prompt")
{
    std::vector<control::LibraryStatus> libraries;
    for (int i = 0; i < 400; ++i) {
        const auto name = fmt::format("restaurant-de-gouden-leeuw-{}", i);
        auto library = i < 20 ? with_lost_set(name) : fine(name);
        library.contact = "support@example.com";
        for (auto& table : library.resources) {
            if (i >= 20 && i < 39) {
                table.state = TableState::forbidden;
                table.trouble = shelfd::Trouble::forbidden;
                table.why = "the service refuses this list to this token set (403): You do not have permission to "
                            "perform this action.";
                table.do_this = fmt::format("ask the owner of {0} for the scope or permission of {1}, then: shelfctl "
                                            "sync {0} {1}",
                                            name, table.name);
                table.since = sample_now - 20min;
                table.next_due = sample_now + 90s;
            }
        }
        libraries.push_back(std::move(library));
    }
    CapturedTerminal captured;
    const auto text = status_text(view_of(with_problems(std::move(libraries))), Detail::trouble, captured.terminal);
    INFO(text.bytes());
    CHECK(rows_at(text, 80) <= 23);
    CHECK(text.bytes().find("restaurant-de-gouden-leeuw-0 and 19 more libraries: needs person") != std::string::npos);
    CHECK(text.bytes().find("restaurant-de-gouden-leeuw-20 and 18 more libraries: forbidden") != std::string::npos);
    CHECK(text.bytes().find("all of them: shelfctl status --problem ") != std::string::npos);
}

TEST_CASE("where only waiting helps, the status says when the daemon tries again, and whom to tell")
{
    auto library = with_failing_service("antwerp");
    library.contact = "support@example.com";
    for (auto& table : library.resources) {
        table.late_at = *table.since;
    }
    CapturedTerminal captured;
    const auto text = status_text(view_of(with_problems({library})), Detail::trouble, captured.terminal).bytes();
    INFO(text);
    CHECK(text.find("antwerp (all 2 tables): late, since 2024-01-06T05:40:00Z (20 min ago): the service answered 502\n"
                    "  nothing to do: the daemon tries again at 2024-01-06T06:01:30Z (in 90 s); if it lasts, tell "
                    "support@example.com\n") != std::string::npos);
    // A time that has come is no time of day, and stands there once.
    for (auto& table : library.resources) {
        table.next_due = sample_now;
    }
    const auto due = status_text(view_of(with_problems({library})), Detail::trouble, captured.terminal).bytes();
    INFO(due);
    CHECK(due.find("  nothing to do: the daemon tries again now; if it lasts, tell support@example.com\n") !=
          std::string::npos);
}

TEST_CASE("limit groups that a service has paused fold, with the time of the one that waits longest")
{
    auto antwerp = fine("antwerp");
    auto bruges = fine("bruges");
    bruges.budget.group = "bruges";
    antwerp.budget.paused_until = sample_now + 40min;
    bruges.budget.paused_until = sample_now + 35s;
    CapturedTerminal captured;
    const auto text =
        status_text(view_of(with_problems({bruges, antwerp})), Detail::trouble, captured.terminal).bytes();
    INFO(text);
    // Both tables of antwerp are due before its pause ends, none of bruges.
    CHECK(text.find("antwerp (all 2 tables); bruges: rate limited by the service: no requests until ") !=
          std::string::npos);
    CHECK(text.find("rate limited by the service: no requests until 2024-01-06T06:40:00Z at the latest\n") !=
          std::string::npos);
    CHECK(text.find("nothing to do: the daemon tries again from 2024-01-06T06:00:35Z on, with the last of them at "
                    "2024-01-06T06:40:00Z (in 40 min)") != std::string::npos);
    bruges.budget.paused_until = antwerp.budget.paused_until;
    const auto same =
        status_text(view_of(with_problems({bruges, antwerp})), Detail::trouble, captured.terminal).bytes();
    CHECK(same.find("at the latest") == std::string::npos);
    CHECK(same.find("tries again at 2024-01-06T06:40:00Z (in 40 min)") != std::string::npos);
}

TEST_CASE("while the daemon tries, the status says that nothing is to do")
{
    auto library = with_failing_service("antwerp");
    for (auto& table : library.resources) {
        table.running.emplace();
    }
    CapturedTerminal captured;
    const auto text = status_text(view_of(with_problems({library})), Detail::trouble, captured.terminal).bytes();
    INFO(text);
    CHECK(text.find("  nothing to do: the daemon is trying again now\n") != std::string::npos);
}

TEST_CASE("a list whose count does not agree is not proven since its newest proof, and the service can mend that")
{
    auto library = fine("antwerp");
    auto& table = library.resources.front();
    table.why = "the list returned 300 rows, but the service counts 307: it is not proven complete";
    table.proven_as_of = sample_now - 2h;
    table.next_due = sample_now + 90s;
    const auto troubles = find_troubles(view_of(with_problems({library})));
    REQUIRE(troubles.size() == 1);
    CHECK(troubles[0].state == "not proven");
    CHECK(troubles[0].since == sample_now - 2h);
    CHECK(troubles[0].next_try == sample_now + 90s);
    CHECK(troubles[0].contact == "the operator of the service");
    library.contact = "support@example.com";
    CHECK(find_troubles(view_of(with_problems({library})))[0].contact == "support@example.com");
    table.detail.emplace();
    CHECK(find_troubles(view_of(with_problems({library})))[0].state == "incomplete");
}

TEST_CASE("where libraries of a problem have different reasons, the one that is told is not taken for all")
{
    auto ghent = with_failing_service("ghent");
    for (auto& table : ghent.resources) {
        table.why = "the answer was cut off";
    }
    const auto same =
        find_troubles(view_of(with_problems({with_failing_service("antwerp"), with_failing_service("bruges")})));
    REQUIRE(same.size() == 1);
    CHECK(same[0].why == "the service answered 502");
    CHECK(same[0].id.empty());
    const auto status = with_problems({with_failing_service("antwerp"), ghent});
    const auto troubles = find_troubles(view_of(status));
    REQUIRE(troubles.size() == 1);
    CHECK(troubles[0].why == "the service answered 502; and 1 other reason");
    CHECK(troubles[0].id == problem_id(status.problems[0]));  // that shows it
}

TEST_CASE("a remark with a command is something to do, for each library, and not for the service")
{
    std::vector<control::LibraryStatus> libraries;
    for (const auto* name : {"antwerp", "ghent"}) {
        auto library = fine(name);
        library.contact = "support@example.com";
        auto& table = library.resources.front();
        table.why = "the column code shows texts of digits as numbers";
        table.do_this = fmt::format("shelfctl schema {} --retype recipes.code", name);
        table.next_due = sample_now + 90s;
        libraries.push_back(std::move(library));
    }
    const auto status = with_problems(std::move(libraries));
    CapturedTerminal captured;
    const auto text = status_text(view_of(status), Detail::trouble, captured.terminal).bytes();
    INFO(text);
    CHECK(text.find("antwerp recipes; ghent recipes: the column code shows texts of digits as numbers\n"
                    "  do this for each, as for the first: shelfctl schema antwerp --retype recipes.code\n"
                    "  meanwhile the daemon continues as before\n") != std::string::npos);
    CHECK(text.find("nothing to do") == std::string::npos);
    CHECK(text.find("support@") == std::string::npos);
    CHECK(control::exit_code(status) == ExitCode::failed);
}

TEST_CASE("a first load that goes on is not the fault of the service, and its wait for the limit is said once")
{
    auto library = fine("antwerp");
    library.contact = "support@example.com";
    auto& table = library.resources.front();
    table.state = TableState::filling;
    table.why = "3 of 12 lists were walked so far";
    table.running.emplace();
    const auto troubles = find_troubles(view_of(with_problems({library})));
    REQUIRE(troubles.size() == 1);
    CHECK(troubles[0].contact.empty());
    CHECK(troubles[0].next == "is filling it now");
    table.running->waits_for_limit_since = sample_now - 40s;
    table.why = "the pass has been waiting for the request limit (20 requests a minute) since 2024-01-06T05:59:20Z";
    CHECK(find_troubles(view_of(with_problems({library}))).empty());
    CapturedTerminal captured;
    const auto text = status_text(view_of(with_problems({library})), Detail::trouble, captured.terminal).bytes();
    CHECK(text.find("1 pass waits for the request limit since ") != std::string::npos);
    // Its lists are named by another table that is filling.
    table.running.reset();
    table.trouble = shelfd::Trouble::passing;
    table.source = shelfd::TroubleSource::parent;
    table.why = "waits for outlets, which was not filled yet: its rows name the lists";
    table.next_due = sample_now + 20s;
    CHECK(control::find_causes(control::sample_status({library})).empty());
    const auto waiting = find_troubles(view_of(with_problems({library})));
    REQUIRE(waiting.size() == 1);
    CHECK(waiting[0].contact.empty());
}

TEST_CASE("the notes of libraries are shown with their trouble, each with its library")
{
    auto first = with_lost_set("antwerp");
    first.note = "call Ann, 03 123";
    auto second = with_lost_set("ghent");
    second.note = "call Bob";
    const auto one = find_troubles(view_of(with_problems({first})));
    REQUIRE(one.size() == 1);
    CHECK(one[0].note == "call Ann, 03 123");
    const auto both = find_troubles(view_of(with_problems({first, second})));
    REQUIRE(both.size() == 1);
    CHECK(both[0].note == "antwerp: call Ann, 03 123; ghent: call Bob");
    second.note = first.note;
    CHECK(find_troubles(view_of(with_problems({first, second})))[0].note == first.note);
    second.note.clear();
    CHECK(find_troubles(view_of(with_problems({first, second})))[0].note == "antwerp: call Ann, 03 123");
    CHECK(both[0].who == "antwerp (all 2 tables); ghent (all 2 tables)");
}

TEST_CASE("libraries of several services in one trouble keep their contacts")
{
    auto antwerp = with_failing_service("antwerp");
    auto ghent = with_failing_service("ghent");
    antwerp.contact = "a@x.test";
    ghent.contact = "b@x.test";
    ghent.origin = "https://other.example.com";
    const auto troubles = find_troubles(view_of(with_problems({antwerp, ghent})));
    REQUIRE(troubles.size() == 1);
    CHECK(troubles[0].contact == "a@x.test for antwerp; b@x.test for ghent");
}

TEST_CASE("many reasons of one kind are one trouble that names the first, and --problem shows all of them")
{
    std::vector<control::LibraryStatus> libraries;
    for (const auto* name : {"antwerp", "brugge", "ghent", "hasselt", "leuven"}) {
        auto library = with_lost_set(name);
        library.token.reason = std::string("reason of its own: ") + std::to_string(libraries.size());
        library.origin = "https://" + library.name + ".test";
        libraries.push_back(library);
    }
    const auto status = view_of(with_problems(libraries));
    const auto troubles = find_troubles(status);
    REQUIRE(troubles.size() == 1);
    CHECK(troubles[0].why.find("for 5 different reasons; the first: reason of its own: 0") != std::string::npos);
    CHECK(troubles[0].id == "token_lost");
    CapturedTerminal captured;
    const auto problems = problems_named(status, "token_lost");
    REQUIRE(problems.size() == 5);
    const auto text = problem_text(problems, sample_now, captured.terminal).bytes();
    for (int i = 0; i < 5; ++i) {
        CHECK(text.find(fmt::format("reason of its own: {}\n", i)) != std::string::npos);
    }
    CHECK(text.find("do this: shelfctl auth import leuven") != std::string::npos);
}

TEST_CASE("missing sets of one service are one problem that says how many reasons it has, and --problem names each")
{
    std::vector<control::LibraryStatus> libraries;
    const std::vector<std::string> reasons{"the answer was lost", "the disk was full", "the set is of another machine"};
    for (const auto& reason : reasons) {
        libraries.push_back(with_lost_set("library" + std::to_string(libraries.size())));
        libraries.back().token.reason = reason;
    }
    const auto status = view_of(with_problems(libraries));
    REQUIRE(status.problems.size() == 1);
    CapturedTerminal captured;
    const auto screen = status_text(status, Detail::trouble, captured.terminal).bytes();
    INFO(screen);
    CHECK(screen.find("the answer was lost; and 2 other reasons") != std::string::npos);
    const auto text = problem_text({status.problems.front()}, sample_now, captured.terminal).bytes();
    INFO(text);
    for (const auto& reason : reasons) {
        CHECK(text.find(reason + "\n") != std::string::npos);
    }
}

TEST_CASE("a problem is found by its id and by that of its incident, and by no other word")
{
    auto status = with_problems({with_lost_set("antwerp"), with_failing_service("ghent")});
    status.problems.front().incident = "20240106-3";
    const auto view = view_of(status);
    REQUIRE(view.problems.size() == 2);
    CHECK(problems_named(view, problem_id(view.problems[1])).size() == 1);
    CHECK(problems_named(view, "20240106-3").size() == 1);
    CHECK(problems_named(view, "ghent").empty());
    CHECK(problem_id(view.problems[0]) != problem_id(view.problems[1]));
    CHECK(problem_id(view.problems[0]) == problem_id(status.problems[0]));
}

TEST_CASE("advice of the daemon that a problem repeats stands on the screen once")
{
    auto status = control::sample_status({fine("antwerp")});
    status.notices.push_back({"the last reload was refused", "shelfctl config check", sample_now});
    status.notices.push_back({"ghent is not running: no disk", "correct that", std::nullopt});
    status.notices.back().absent = "ghent";
    status.notices.push_back({"other programs use 20 of the 100 requests", "", std::nullopt});
    status.absent = {"ghent"};
    status.problems = control::find_causes(status);
    const auto troubles = find_troubles(view_of(status));
    for (const auto& one : troubles) {
        UNSCOPED_INFO(one.who << ": " << one.why);
    }
    REQUIRE(troubles.size() == 3);
    CHECK(troubles[2].why == "other programs use 20 of the 100 requests");
}

}  // namespace
}  // namespace shelfd::ctl
