#include "control/api/wait.hpp"

#include "control/recording_operations.hpp"
#include "support/catch.hpp"
#include "support/simulated_clock.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

namespace shelfd::control {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

std::vector<std::string> texts(const std::vector<MissingTables>& missing)
{
    std::vector<std::string> lines;
    for (const auto& one : missing) {
        lines.push_back(one.text());
    }
    return lines;
}

std::vector<std::string> missing_texts(const Status& status, const WaitRequest& request)
{
    const auto missing = not_there_yet(status, request);
    REQUIRE(missing);
    return texts(*missing);
}

std::vector<std::string> stuck_texts(const Status& status, const WaitRequest& request)
{
    return texts(waits_for_person(status, request));
}

TEST_CASE("a wait is over when every table asked for is there")
{
    auto status = fresh_status();
    status.libraries[0].resources[1].state = State::late;
    status.libraries[0].resources[1].as_of = sample_now - minutes(20);
    status.libraries[0].resources[1].why = "500 since 05:40";
    status.libraries[1].resources.push_back(sample_resource("sales", State::paused));
    struct Row {
        const char* name;
        WaitRequest request;
        std::vector<std::string> missing;
    };
    for (const auto& row : {
             Row{"all", {}, {"antwerp stock: late, 500 since 05:40"}},
             Row{"the other library", {"ghent", "", std::nullopt, minutes(1)}, {}},
             Row{"a fresh table of it", {"antwerp", "recipes", std::nullopt, minutes(1)}, {}},
             Row{"the late table",
                 {"antwerp", "stock", std::nullopt, minutes(1)},
                 {"antwerp stock: late, 500 since 05:40"}},
             Row{"late, but young enough for the caller", {"antwerp", "stock", Duration(minutes(30)), minutes(1)}, {}},
             Row{"fresh, but not young enough",
                 {"ghent", "recipes", Duration(seconds(60)), minutes(1)},
                 {"ghent recipes: as of 2024-01-06T05:58:30Z"}},
             Row{"a paused table by name",
                 {"ghent", "sales", std::nullopt, minutes(1)},
                 {"ghent sales: paused; to fetch again: shelfctl library resume ghent"}},
         }) {
        INFO(row.name);
        CHECK(missing_texts(status, row.request) == row.missing);
    }
}

TEST_CASE("a wait for which a person must act names what needs one")
{
    auto status = fresh_status();
    auto& stock = status.libraries[0].resources[1];
    struct Row {
        const char* name;
        State state;
        bool fresh_enough;  // asked for data of an age, not for the state
        bool is_tried;      // the daemon is about to try again
        bool stuck;
    };
    for (const auto& row : {
             Row{"forbidden", State::forbidden, false, false, true},
             Row{"about to be tried again", State::forbidden, false, true, false},
             Row{"needs a person", State::needs_person, true, false, true},
             Row{"another library", State::wrong_library, false, false, true},
             Row{"held", State::held, false, false, true},
             Row{"held, but it advances", State::held, true, false, false},
             Row{"paused, by name", State::paused, true, false, true},
             Row{"retired, by name", State::retired, false, false, true},
             Row{"late", State::late, false, false, false},
             Row{"filling", State::filling, true, false, false},
         }) {
        CAPTURE(row.name);
        stock.state = row.state;
        stock.as_of = sample_now - minutes(20);
        stock.next_due = row.is_tried ? sample_now : sample_now + minutes(15);
        WaitRequest request{"antwerp", "stock", std::nullopt, minutes(1)};
        if (row.fresh_enough) {
            request.fresh = minutes(5);
        }
        CHECK(waits_for_person(status, request).empty() != row.stuck);
        request.fresh.reset();
        request.as_of = sample_now - minutes(30);
        CHECK(waits_for_person(status, request).empty());
    }
}

TEST_CASE("a wait for the end of quiet hours says so, and how to have a pass now")
{
    auto status = fresh_status();
    auto& recipes = status.libraries[0].resources[0];
    recipes.quiet_until = sample_now + minutes(90);
    const WaitRequest younger{"antwerp", "recipes", Duration(minutes(1)), minutes(1)};
    const std::string quiet =
        "waits for the end of the quiet hours at 2024-01-06T07:30:00Z; to sync now: shelfctl sync antwerp";
    const auto missing = missing_texts(status, younger);
    REQUIRE(missing.size() == 1);
    CHECK(missing.front().starts_with("antwerp recipes: as of "));
    CHECK(missing.front().ends_with(", " + quiet));
    CHECK(waits_for_person(status, younger).empty());

    // The daemon has said it already.
    recipes.state = State::filling;
    recipes.why = "the first pass " + quiet;
    recipes.why_tells_quiet = true;
    CHECK(missing_texts(status, {"antwerp", "", std::nullopt, minutes(1)}) ==
          std::vector<std::string>{"antwerp recipes: filling, the first pass " + quiet});

    // What else it says of quiet hours is something else.
    recipes.why = "the service has quiet hours of its own";
    recipes.why_tells_quiet = false;
    CHECK(missing_texts(status, {"antwerp", "", std::nullopt, minutes(1)}) ==
          std::vector<std::string>{"antwerp recipes: filling, the service has quiet hours of its own, " + quiet});
}

TEST_CASE("a library that does not run is waited for, and needs a person")
{
    auto status = fresh_status();
    status.absent = {"bruges"};
    const std::vector<std::string> absent = {"bruges: not running"};
    CHECK(missing_texts(status, {}) == absent);
    CHECK(stuck_texts(status, {}) == absent);
    CHECK(waits_for_person(status, {"antwerp", "", std::nullopt, minutes(1)}).empty());
}

TEST_CASE("without a usable token set no table becomes younger, however fresh it is")
{
    auto status = fresh_status();
    auto& library = status.libraries[1];
    auto& table = library.resources[0];
    table.state = State::fresh;
    table.next_due = sample_now + minutes(15);
    library.token.state = TokenState::none;
    library.token.needs_person = true;
    library.token.access_usable = false;
    library.token.reason = "the set was moved out";
    WaitRequest request{"ghent", "", std::nullopt, minutes(1)};
    CHECK(waits_for_person(status, request).empty());  // it is fresh, so there is nothing to wait for
    request.as_of = sample_now;
    const std::vector<std::string> stuck = {"ghent recipes: as of " + table.as_of->to_short_text() +
                                            ", the set was moved out"};
    CHECK(missing_texts(status, request) == stuck);
    CHECK(stuck_texts(status, request) == stuck);
    request.as_of.reset();
    request.fresh = seconds(1);
    CHECK(stuck_texts(status, request) == stuck);
    // A pass under way has its access token; one that works goes on working.
    table.running.emplace();
    CHECK(waits_for_person(status, request).empty());
    table.running.reset();
    library.token.access_usable = true;
    CHECK(waits_for_person(status, request).empty());
}

TEST_CASE("tables of a library that wait for the same thing are named together")
{
    auto status = fresh_status();
    for (auto& table : status.libraries[0].resources) {
        table.state = State::needs_person;
        table.why = "no token set was imported yet";
        table.next_due = sample_now + minutes(15);
    }
    const std::vector<std::string> once = {"antwerp recipes, stock: needs a person, no token set was imported yet"};
    CHECK(missing_texts(status, {}) == once);
    CHECK(stuck_texts(status, {}) == once);
}

TEST_CASE("a library that is paused as a whole is not there, and waiting does not help")
{
    auto status = fresh_status();
    status.libraries[1].resources[0].state = State::paused;
    const WaitRequest ghent{"ghent", "", std::nullopt, minutes(1)};
    const std::vector<std::string> stuck = {"ghent recipes: paused; to fetch again: shelfctl library resume ghent"};
    CHECK(missing_texts(status, ghent) == stuck);
    CHECK(stuck_texts(status, ghent) == stuck);
    CHECK(not_there_yet(status, {}).value().empty());  // all others are fresh
    status.libraries[0].resources[0].state = State::paused;
    CHECK(not_there_yet(status, {"antwerp", "", std::nullopt, minutes(1)}).value().empty());
}

TEST_CASE("what a wait says of a pass that stands names the reason and its end")
{
    auto status = fresh_status();
    auto& library = status.libraries[1];
    auto& table = library.resources[0];
    table.running.emplace();
    table.running->page = 1;
    table.running->note = "HTTP 429: rate limited by the service";
    WaitRequest request{"ghent", "", std::nullopt, minutes(1)};
    request.as_of = *table.as_of + seconds(1);
    const auto as_of = table.as_of->to_short_text();
    CHECK(missing_texts(status, request) ==
          std::vector<std::string>{"ghent recipes: as of " + as_of +
                                   ", page 1, waiting: HTTP 429: rate limited by the service"});
    library.budget.paused_until = sample_now + minutes(7);
    CHECK(missing_texts(status, request) ==
          std::vector<std::string>{"ghent recipes: as of " + as_of +
                                   ", page 1, rate limited by the service: no requests until " +
                                   library.budget.paused_until->to_short_text()});
}

TEST_CASE("a pause that the service asks for is named for all tables that it keeps waiting")
{
    auto status = fresh_status();
    auto& library = status.libraries[0];
    library.resources.push_back(sample_resource("outlets", State::fresh));
    library.resources[1].why = "rate limited by the service: no requests until 2024-01-06T06:07:00Z";
    library.resources.push_back(sample_resource("sales", State::needs_person));
    library.resources.back().as_of = std::nullopt;
    library.budget.paused_until = sample_now + minutes(7);
    WaitRequest request{"antwerp", "", std::nullopt, minutes(1)};
    request.as_of = sample_now;
    const std::string paused = ", rate limited by the service: no requests until 2024-01-06T06:07:00Z";
    CHECK(missing_texts(status, request) ==
          std::vector<std::string>{"antwerp recipes, stock, outlets: as of 2024-01-06T05:58:30Z" + paused,
                                   "antwerp sales: needs a person"});
    status.now = *library.budget.paused_until;
    library.resources[1].why.clear();
    CHECK(missing_texts(status, request) ==
          std::vector<std::string>{"antwerp recipes, stock, outlets: as of 2024-01-06T05:58:30Z",
                                   "antwerp sales: needs a person"});
}

TEST_CASE("a wait for an instant is over when the data are of that time or later")
{
    auto status = fresh_status();
    const auto as_of = *status.libraries[0].resources[0].as_of;
    WaitRequest request{"antwerp", "recipes", std::nullopt, minutes(1)};
    request.as_of = as_of;
    CHECK(not_there_yet(status, request).value().empty());
    // Rows may have moved while that pass read the list.
    status.libraries[0].resources[0].repeats_pass = true;
    CHECK(not_there_yet(status, request).value().size() == 1);
    status.libraries[0].resources[0].repeats_pass = false;
    request.as_of = as_of + seconds(1);
    CHECK(not_there_yet(status, request).value().size() == 1);
    status.libraries[0].resources[0].as_of.reset();
    CHECK(not_there_yet(status, request).value().size() == 1);
}

TEST_CASE("a wait for something that is not there says what there is")
{
    const auto status = fresh_status();
    const auto library = not_there_yet(status, {"gent", "", std::nullopt, minutes(1)});
    REQUIRE_FALSE(library);
    CHECK(library.error().kind() == ErrorKind::not_found);
    CHECK(library.error().text().find("ghent, antwerp") != std::string::npos);
    const auto resource = not_there_yet(status, {"antwerp", "sales", std::nullopt, minutes(1)});
    REQUIRE_FALSE(resource);
    CHECK(resource.error().text().find("recipes, stock") != std::string::npos);
    CHECK_FALSE(not_there_yet(status, {"", "stock", std::nullopt, minutes(1)}));
}

struct Waiter {
    asio::io_context loop;
    SimulatedClock clock{loop};
    Status status = fresh_status();
    Journal asked;
    RecordingOperations operations{clock, asked};
    std::vector<std::string> lines;

    Waiter()
    {
        operations.status_now = [this] {
            status.now = clock.now();
            return status;
        };
    }

    void wait(WaitRequest request)
    {
        LineSink sink = [this](std::string line, Importance) { lines.push_back(std::move(line)); };
        auto look = [this] { return operations.status(); };
        clock.run(wait_until_there(operations, clock, std::move(request), std::move(look), std::move(sink)));
    }
};

TEST_CASE("a wait for hundreds of tables names a few of each reason and counts the others; a program gets them all")
{
    Waiter waiter;
    waiter.status.libraries.clear();
    for (int i = 100; i < 500; ++i) {
        const auto name = fmt::format("lib{}", i);
        auto library = sample_library(name, {});
        for (const auto* table : {"recipes", "stock", "outlets"}) {
            auto& one = library.resources.emplace_back(sample_resource(table, State::filling));
            one.why = fmt::format("waits for the limit of {} since {}", name, sample_now.to_short_text());
        }
        library.resources.back().state = i < 300 ? State::late : State::fresh;
        library.resources.back().why = fmt::format("{} rows of {}", i, name);
        waiter.status.libraries.push_back(std::move(library));
    }
    waiter.wait({"", "", std::nullopt, minutes(10)});
    REQUIRE(waiter.lines.size() == 2);
    const auto waiting = boost::json::parse(waiter.lines[0]);
    CHECK(waiting.at("for").as_array().size() == 600);  // a library and a reason each
    const std::string folded =
        "lib100, lib101, lib102 and 397 more libraries (800 tables): filling, waits for the limit of lib100 since "
        "2024-01-06T06:00:00Z (lib100 recipes, stock); lib100, lib101, lib102 and 197 more libraries (200 tables): "
        "late, 100 rows of lib100 (lib100 outlets)";
    CHECK(waiting.at("text").as_string() == folded);
    CHECK(boost::json::parse(waiter.lines[1]).at("error").at("text").as_string() ==
          "still waiting after 10 min: " + folded + "; see: shelfctl status");
}

TEST_CASE("a wait ends at once when all is there")
{
    Waiter waiter;
    waiter.wait({});
    CHECK(waiter.lines == std::vector<std::string>{R"({"event":"done","ok":true})"});
}

TEST_CASE("a wait that times out says for what")
{
    Waiter waiter;
    waiter.status.libraries[1].resources[0].state = State::filling;
    waiter.status.libraries[1].resources[0].as_of.reset();
    const auto begun = waiter.clock.boot_now();
    waiter.wait({"ghent", "", std::nullopt, minutes(10)});
    CHECK(waiter.clock.boot_now() - begun == minutes(10));
    REQUIRE(waiter.lines.size() == 2);
    CHECK(boost::json::parse(waiter.lines[0]).at("event") == "waiting");
    const auto done = boost::json::parse(waiter.lines[1]);
    CHECK(done.at("ok") == false);
    CHECK(done.at("error").at("kind") == "timeout");
    CHECK(done.at("error").at("text") == "still waiting after 10 min: ghent recipes: filling; see: "
                                         "shelfctl status ghent");
}

TEST_CASE("a wait ends after a second where a person must act, and says what to look at")
{
    Waiter waiter;
    auto& recipes = waiter.status.libraries[1].resources[0];
    recipes.state = State::forbidden;
    recipes.why = "no scope";
    recipes.next_due.reset();
    const auto begun = waiter.clock.boot_now();
    waiter.wait({"ghent", "", std::nullopt, minutes(10)});
    CHECK(waiter.clock.boot_now() - begun < seconds(3));
    REQUIRE(waiter.lines.size() == 2);
    const auto done = boost::json::parse(waiter.lines[1]);
    CHECK(done.at("error").at("kind") == "needs_person");
    CHECK(done.at("error").at("text") ==
          "waiting does not help, a person must act: ghent recipes: forbidden, no scope; "
          "see: shelfctl status ghent");
}

TEST_CASE("a wait does not give up a table that is tried again because of what a person has just done")
{
    Waiter waiter;
    auto& recipes = waiter.status.libraries[1].resources[0];
    recipes.state = State::needs_person;
    recipes.next_due.reset();
    const auto begun = waiter.clock.boot_now();
    auto inner = waiter.operations.status_now;
    waiter.operations.status_now = [&waiter, inner, begun] {
        auto& table = waiter.status.libraries[1].resources[0];
        const auto passed = waiter.clock.boot_now() - begun;
        if (passed >= seconds(30)) {
            table.state = State::fresh;
        } else if (passed > Duration(0)) {
            table.running = Running();
        }
        return inner();
    };
    waiter.wait({"ghent", "", std::nullopt, minutes(10)});
    CHECK(waiter.lines.back() == R"({"event":"done","ok":true})");
}

TEST_CASE("a wait notices within a second that the table has arrived")
{
    Waiter waiter;
    waiter.status.libraries[1].resources[0].state = State::filling;
    const auto begun = waiter.clock.boot_now();
    auto inner = waiter.operations.status_now;
    waiter.operations.status_now = [&waiter, inner, begun] {
        if (waiter.clock.boot_now() - begun >= seconds(30)) {
            waiter.status.libraries[1].resources[0].state = State::fresh;
        }
        return inner();
    };
    waiter.wait({"ghent", "", std::nullopt, minutes(10)});
    CHECK(waiter.clock.boot_now() - begun <= seconds(31));
    CHECK(waiter.lines.back() == R"({"event":"done","ok":true})");
}

namespace {

// Time also passes while the loop computes.
class ComputingClock final : public Clock {
public:
    explicit ComputingClock(SimulatedClock& clock) : clock_(clock) {}

    Instant now() const override { return clock_.now(); }
    BootTime boot_now() const override { return clock_.boot_now() + computed_; }
    asio::awaitable<void> sleep_until(BootTime at) override { return clock_.sleep_until(at - computed_); }
    void compute(Duration by) { computed_ += by; }

private:
    SimulatedClock& clock_;
    Duration computed_{};
};

struct BusyOperations : RecordingOperations {
    BusyOperations(Clock& used, Journal& asked) : RecordingOperations(used, asked), clock(used) {}
    asio::awaitable<void> changed() override { return clock.sleep_for(std::chrono::milliseconds(1)); }

    Clock& clock;
};

}  // namespace

TEST_CASE("a wait looks less often where a look takes long, at least once a second, however much changes")
{
    struct Row {
        Duration look;
        int most;
        int fewest;
    };
    const auto row = GENERATE(values<Row>({{std::chrono::microseconds(100), 501, 400},
                                           {std::chrono::milliseconds(10), 51, 45},
                                           {std::chrono::milliseconds(200), 11, 8}}));
    INFO(row.look.count() << " us a look");
    asio::io_context loop;
    SimulatedClock simulated(loop);
    ComputingClock clock(simulated);
    Journal asked;
    BusyOperations operations(clock, asked);
    auto status = fresh_status();
    status.libraries[0].resources[1].state = State::late;
    int looks = 0;
    auto look = [&] {
        ++looks;
        clock.compute(row.look);
        status.now = clock.now();
        return status;
    };
    simulated.run(wait_until_there(operations, clock, {"antwerp", "stock", std::nullopt, seconds(10)}, look,
                                   [](const std::string&, Importance) {}));
    CHECK(looks <= row.most);
    CHECK(looks >= row.fewest);
}

TEST_CASE("a library that is removed while it is waited for ends the wait with an error")
{
    Waiter waiter;
    waiter.status.libraries[1].resources[0].state = State::filling;
    const auto begun = waiter.clock.boot_now();
    auto inner = waiter.operations.status_now;
    waiter.operations.status_now = [&waiter, inner, begun] {
        if (waiter.clock.boot_now() - begun >= seconds(30) && waiter.status.libraries.size() == 2) {
            waiter.status.libraries.pop_back();
        }
        return inner();
    };
    waiter.wait({"ghent", "", std::nullopt, minutes(10)});
    CHECK(boost::json::parse(waiter.lines.back()).at("error").at("kind") == "not_found");
}

}  // namespace
}  // namespace shelfd::control
