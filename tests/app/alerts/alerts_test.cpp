#include "app/alerts/alerts.hpp"

#include "config/check/known_keys.hpp"
#include "control/causes/cause_finder.hpp"
#include "support/catch.hpp"
#include "support/scripted_client.hpp"
#include "support/simulated_clock.hpp"
#include "support/temp_directory.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace shelfd::app {
namespace {

using namespace std::chrono_literals;

// Alerts over a status that a test writes, with one hook that posts.
struct Bench {
    asio::io_context loop;
    SimulatedClock clock{loop};
    http::ScriptedClient client{clock};
    TempDirectory directory;
    control::Status status;
    std::vector<std::string> lines;
    std::optional<TaskGroup> tasks;
    std::optional<Alerts> alerts;
    std::vector<int> answers;  // statuses; then 200

    Bench()
    {
        client.handle([this](const http::SeenRequest&) {
            const int status_code = answers.empty() ? 200 : answers.front();
            if (!answers.empty()) {
                answers.erase(answers.begin());
            }
            return http::Answer::of(status_code, "");
        });
        control::LibraryStatus library;
        library.name = "antwerp";
        library.origin = "https://api.example.com";
        library.token.state = TokenState::good;
        library.token.access_usable = true;
        status.libraries = {library};
    }
    ~Bench() { stop(); }

    static config::Hook hook(std::string name)
    {
        config::Hook one;
        one.name = std::move(name);
        one.post = "https://" + one.name + ".example.com/";
        one.after = Duration(0);
        return one;
    }
    void start(std::vector<config::Hook> hooks)
    {
        stop();
        tasks.emplace(loop.get_executor());
        Log log([this](const LogRecord& record) { lines.emplace_back(record.message); });
        auto look = [this] {
            auto now = status;
            now.now = clock.now();
            now.problems = control::find_causes(now);
            return now;
        };
        HookServices calls{clock, client, Lane(), ""};
        Alerts::Services services{std::move(calls), Lane(), log, [] { return 0.5; }, look, *tasks, "mirror1"};
        alerts.emplace(std::move(services), directory / "hooks");
        [[maybe_unused]] const auto changes = alerts->replace(hooks, {});
        tasks->spawn(alerts->run(), "alerts");
        clock.settle();
    }
    // As a killed process: whatever is under way is cut off.
    void stop()
    {
        if (tasks) {
            tasks->cancel();
            auto ending = tasks->join();
            clock.run(std::move(ending));
            alerts.reset();
            tasks.reset();
        }
    }
    void lose_token()
    {
        auto& token = status.libraries.front().token;
        token.state = TokenState::lost;
        token.needs_person = true;
        token.access_usable = false;
        token.reason = "the answer to a refresh was lost";
        token.do_this = "shelfctl auth import antwerp";
    }
    void mend_token()
    {
        auto& token = status.libraries.front().token;
        token.state = TokenState::good;
        token.needs_person = false;
        token.access_usable = true;
    }
    // A round of recipes that changed so many rows.
    void publish(std::uint64_t changed)
    {
        auto& tables = status.libraries.front().resources;
        if (tables.empty()) {
            tables.emplace_back().name = "recipes";
        }
        auto& published = tables.front().published;
        published.rounds += 1;
        published.changed += changed;
        published.run_changed = changed;
        published.run_id = "run-" + std::to_string(published.rounds);
        published.feed_position = "feed:" + std::to_string(published.changed);
    }
    // "HOST EVENT" of each request so far.
    std::vector<std::string> calls() const
    {
        std::vector<std::string> found;
        for (const auto& request : client.seen()) {
            const auto event = request.body.find("\"event\":\"") + 9;
            const auto host = request.url.substr(8, request.url.find('.') - 8);
            found.push_back(host + " " + request.body.substr(event, request.body.find('"', event) - event));
        }
        return found;
    }
    bool has_call(const std::string& call) const
    {
        const auto all = calls();
        return std::find(all.begin(), all.end(), call) != all.end();
    }
};

using Calls = std::vector<std::string>;

TEST_CASE("a hook is called once for a cause, and once more when it is over")
{
    Bench bench;
    bench.start({Bench::hook("chat")});
    bench.lose_token();
    bench.clock.advance_by(1min);
    CHECK(bench.calls() == Calls{"chat opened"});
    const auto& body = bench.client.seen().front().body;
    CHECK(body.find("\"cause\":\"token_lost\"") != std::string::npos);
    CHECK(body.find("\"severity\":\"page\"") != std::string::npos);
    CHECK(body.find("\"host\":\"mirror1\"") != std::string::npos);
    bench.clock.advance_by(1h);
    CHECK(bench.calls().size() == 1);
    bench.clock.advance_by(3h);
    CHECK(bench.calls() == Calls{"chat opened", "chat repeated"});
    bench.mend_token();
    bench.clock.advance_by(5min);
    CHECK(bench.calls() == Calls{"chat opened", "chat repeated", "chat recovered"});
    bench.clock.advance_by(24h);
    CHECK(bench.calls().size() == 3);
}

TEST_CASE("a call that was not accepted is kept over a restart, and made once")
{
    Bench bench;
    bench.answers.assign(3, 500);
    bench.start({Bench::hook("chat")});
    bench.lose_token();
    bench.clock.advance_by(20s);
    CHECK(bench.calls().size() >= 1);
    bench.stop();
    const auto before = bench.calls().size();
    bench.answers.clear();
    bench.start({Bench::hook("chat")});
    bench.clock.advance_by(1h);
    CHECK(bench.calls().size() == before + 1);
    bench.stop();
    bench.start({Bench::hook("chat")});
    bench.clock.advance_by(1h);
    CHECK(bench.calls().size() == before + 1);  // told before the restart
}

TEST_CASE("what is over before the restart ends is told, with the incident of before")
{
    Bench bench;
    bench.start({Bench::hook("chat")});
    bench.lose_token();
    bench.clock.advance_by(1min);
    bench.stop();
    bench.mend_token();
    bench.start({Bench::hook("chat")});
    bench.clock.advance_by(5min);
    CHECK(bench.calls() == Calls{"chat opened"});  // nothing is over before passes can have been made
    bench.clock.advance_by(15min);
    CHECK(bench.calls() == Calls{"chat opened", "chat recovered"});
    const auto id = [](const std::string& body) {
        const auto at = body.find("\"incident\":\"");
        return body.substr(at, body.find(',', at) - at);
    };
    CHECK(id(bench.client.seen()[0].body) == id(bench.client.seen()[1].body));
}

TEST_CASE("a hook that fails is tried again ever later, and status says so until it works")
{
    Bench bench;
    bench.answers.assign(6, 503);
    bench.start({Bench::hook("chat")});
    bench.lose_token();
    bench.clock.advance_by(1min);
    REQUIRE(bench.alerts->notices().size() == 1);
    CHECK(bench.alerts->notices().front().text.find("hook chat does not accept its calls, 1 wait: it answered 503") ==
          0);
    CHECK(bench.alerts->notices().front().do_this == "correct that, then: shelfctl hooks test chat");
    bench.clock.advance_by(1h);
    CHECK(bench.calls().size() == 7);
    CHECK(bench.alerts->notices().empty());
    CHECK(bench.alerts->report().hooks.front().waiting == 0);
    CHECK(bench.alerts->report().hooks.front().called.has_value());
}

TEST_CASE("a hook that refuses is asked three times, then the call is dropped and the log says so")
{
    Bench bench;
    bench.answers.assign(3, 403);
    bench.start({Bench::hook("chat")});
    bench.lose_token();
    bench.clock.advance_by(1h);
    CHECK(bench.calls().size() == 3);
    CHECK(bench.alerts->report().dropped == 1);
    CHECK(std::any_of(bench.lines.begin(), bench.lines.end(),
                      [](const auto& line) { return line.find("hook chat has refused a call 3 times") == 0; }));
}

TEST_CASE("one hook that is slow keeps no other waiting")
{
    Bench bench;
    bench.client.handle([](const http::SeenRequest& request) {
        return request.url.find("slow") != std::string::npos ? http::Answer::never() : http::Answer::of(200, "");
    });
    bench.start({Bench::hook("slow"), Bench::hook("chat")});
    bench.lose_token();
    bench.clock.advance_by(16s);
    CHECK(bench.calls() == Calls{"slow opened", "chat opened"});
}

TEST_CASE("a test calls the hook at once and tells what it said")
{
    Bench bench;
    bench.start({Bench::hook("chat")});
    CHECK(bench.clock.run(bench.alerts->test("chat")));
    CHECK(bench.calls() == Calls{"chat test"});
    bench.answers = {500};
    const auto refused = bench.clock.run(bench.alerts->test("chat"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().text() == "hook chat did not accept the test: it answered 500");
    const auto unknown = bench.clock.run(bench.alerts->test("mail"));
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().kind() == ErrorKind::not_found);
    CHECK(unknown.error().text() == "there is no hook mail (known: chat); see: shelfctl hooks list");
}

TEST_CASE("a test that is accepted makes the calls that wait for their next attempt at once")
{
    Bench bench;
    bench.answers.assign(100, 503);
    bench.start({Bench::hook("chat"), Bench::hook("mail")});
    bench.lose_token();
    bench.clock.advance_by(1min);
    bench.answers.assign(100, 503);
    CHECK_FALSE(bench.clock.run(bench.alerts->test("chat")));
    bench.clock.advance_by(30min);
    const auto waits = [&bench](std::size_t hook) { return bench.alerts->report().hooks[hook].waiting; };
    REQUIRE(waits(0) == 1);
    REQUIRE(waits(1) == 1);
    bench.answers.clear();
    CHECK(bench.clock.run(bench.alerts->test("chat")));
    bench.clock.advance_by(1s);
    CHECK(bench.calls().back() == "chat opened");
    CHECK(waits(0) == 0);
    CHECK(waits(1) == 1);
}

TEST_CASE("without hooks nothing is looked at, and the daemon does not wake for alerts more often than for looks")
{
    Bench bench;
    bench.start({});
    const auto before = bench.clock.now();
    bench.clock.advance_to_next();
    CHECK(bench.clock.now() - before >= Alerts::between_looks);
}

TEST_CASE("the first call after a start waits for the first passes of a library in trouble, a minute at most")
{
    Bench bench;
    bench.lose_token();
    auto& token = bench.status.libraries.front().token;
    token.access_usable = true;  // as it seems until a pass has asked
    token.deadline = bench.clock.now() + 20h;
    auto& table = bench.status.libraries.front().resources.emplace_back();
    table.name = "recipes";
    table.next_due = bench.clock.now();
    bench.start({Bench::hook("chat")});
    bench.clock.advance_by(3s);
    CHECK(bench.calls().empty());
    SECTION("they have ended")
    {
        table.passes = table.passes_failed = 1;
        table.trouble = Trouble::needs_person;
        token.access_usable = false;
        token.deadline.reset();
        bench.clock.advance_by(2s);
        CHECK(bench.calls() == Calls{"chat opened"});
        const auto& body = bench.client.seen().front().body;
        CHECK(body.find("\"severity\":\"page\"") != std::string::npos);
        CHECK(body.find("recipes") != std::string::npos);
        bench.clock.advance_by(30min);
        CHECK(bench.calls().size() == 1);
    }
    SECTION("they wait for something else")
    {
        bench.clock.advance_by(50s);
        CHECK(bench.calls().empty());
        bench.clock.advance_by(10s);
        CHECK(bench.calls() == Calls{"chat opened"});
    }
}

TEST_CASE("silence keeps hooks quiet, over a restart, too")
{
    Bench bench;
    bench.start({Bench::hook("chat")});
    const auto until = bench.clock.run(bench.alerts->silence({"antwerp", 2h}));
    REQUIRE(until);
    CHECK(until->until == bench.clock.now() + 2h);
    bench.lose_token();
    bench.clock.advance_by(30min);
    CHECK(bench.calls().empty());
    bench.stop();
    bench.start({Bench::hook("chat")});
    bench.clock.advance_by(80min);
    CHECK(bench.calls().empty());
    CHECK(bench.alerts->report().silences.size() == 1);
    bench.clock.advance_by(11min);
    CHECK(bench.calls() == Calls{"chat opened"});
    const auto ended = bench.clock.run(bench.alerts->silence({"", 0s}));
    REQUIRE(ended);
    CHECK_FALSE(ended->until.has_value());
    CHECK(bench.clock.run(bench.alerts->silence({"gent", 1h})).error().kind() == ErrorKind::not_found);
}

TEST_CASE("a silence of all libraries shortens none that lasts longer, and its end ends all")
{
    Bench bench;
    bench.status.libraries.push_back(bench.status.libraries.front());
    bench.status.libraries.back().name = "ghent";
    bench.start({Bench::hook("chat")});
    const auto first = bench.clock.now() + 2h;
    REQUIRE(bench.clock.run(bench.alerts->silence({"antwerp", 2h})));
    const auto all = bench.clock.run(bench.alerts->silence({"", 30s}));
    REQUIRE(all);
    CHECK(all->until == bench.clock.now() + 30s);
    CHECK(all->longer == 1);
    const auto one = bench.clock.run(bench.alerts->silence({"antwerp", 1h}));
    REQUIRE(one);
    CHECK(one->until == first);
    CHECK(one->longer == 1);
    CHECK(bench.alerts->report().silences.size() == 2);
    const auto ended = bench.clock.run(bench.alerts->silence({"", 0s}));
    REQUIRE(ended);
    CHECK_FALSE(ended->until);
    CHECK(ended->longer == 0);
    CHECK(bench.alerts->report().silences.empty());
}

TEST_CASE("a call that failed waits while its library is silenced, and goes if its incident is over by then")
{
    Bench bench;
    bench.answers.assign(1, 500);
    bench.start({Bench::hook("chat")});
    bench.lose_token();
    bench.clock.advance_by(16s);
    CHECK(bench.calls() == Calls{"chat opened"});
    REQUIRE(bench.clock.run(bench.alerts->silence({"antwerp", 10min})));
    SECTION("the same process")
    {
        bench.clock.advance_by(9min);
        CHECK(bench.calls() == Calls{"chat opened"});
        bench.clock.advance_by(2min);
        CHECK(bench.calls() == Calls{"chat opened", "chat opened"});
    }
    SECTION("another process")
    {
        bench.stop();
        bench.start({Bench::hook("chat")});
        bench.clock.advance_by(9min);
        CHECK(bench.calls() == Calls{"chat opened"});
    }
    SECTION("the silence is ended")
    {
        bench.clock.advance_by(1min);
        REQUIRE(bench.clock.run(bench.alerts->silence({"", 0s})));
        bench.clock.advance_by(1s);
        CHECK(bench.calls() == Calls{"chat opened", "chat opened"});
    }
    SECTION("it is over: the attempt may have arrived, so the end is told")
    {
        bench.clock.advance_by(1min);
        bench.mend_token();
        bench.clock.advance_by(1min);
        CHECK(bench.calls() == Calls{"chat opened", "chat recovered"});
        CHECK(bench.alerts->report().hooks.front().waiting == 0);
    }
}

TEST_CASE("a silence follows a library that is renamed")
{
    Bench bench;
    const auto named = [](const std::string& name, const std::string& formerly) {
        auto library = std::make_shared<config::Library>();
        library->name = name;
        library->formerly = formerly;
        return config::Libraries{library};
    };
    const auto silenced = [&bench] {
        std::vector<std::string> names;
        for (const auto& silence : bench.alerts->report().silences) {
            names.push_back(silence.library);
        }
        return names;
    };
    bench.start({Bench::hook("chat")});
    REQUIRE(bench.clock.run(bench.alerts->silence({"antwerp", 2h})));
    bench.alerts->replace({Bench::hook("chat")}, named("antwerp", ""));
    CHECK(silenced() == std::vector<std::string>{"antwerp"});
    bench.alerts->replace({Bench::hook("chat")}, named("alfa", "antwerp"));
    CHECK(silenced() == std::vector<std::string>{"alfa"});
    bench.clock.advance_by(1min);
    bench.stop();
    // Also if it was renamed while no daemon ran.
    bench.start({Bench::hook("chat")});
    bench.alerts->replace({Bench::hook("chat")}, named("beta", "alfa"));
    bench.clock.advance_by(1min);
    CHECK(silenced() == std::vector<std::string>{"beta"});
}

TEST_CASE("a reload says which hooks changed, and calls of those that are gone are dropped")
{
    Bench bench;
    bench.answers.assign(100, 500);
    bench.start({Bench::hook("chat"), Bench::hook("mail")});
    bench.lose_token();
    bench.clock.advance_by(1min);
    auto changed = Bench::hook("chat");
    changed.repeat = 1h;
    CHECK(bench.alerts->replace({changed, Bench::hook("pager")}, {}) ==
          Calls{"hook chat changed", "hook pager added", "hook mail removed"});
    CHECK(bench.alerts->replace({changed, Bench::hook("pager")}, {}).empty());
    bench.answers.clear();
    bench.clock.advance_by(1min);
    const auto calls = bench.calls();
    CHECK(std::count(calls.begin(), calls.end(), "pager opened") == 1);
    CHECK(bench.alerts->report().hooks.size() == 2);
}

TEST_CASE("a hook that leaves the configuration and returns during its call is not called twice at a time")
{
    Bench bench;
    std::size_t under_way = 0;
    bench.client.handle([&under_way](const http::SeenRequest&) {
        ++under_way;
        return http::Answer::ok("").after(20s);
    });
    bench.start({Bench::hook("chat")});
    bench.lose_token();
    bench.clock.advance_by(16s);
    REQUIRE(under_way == 1);
    [[maybe_unused]] const auto removed = bench.alerts->replace({}, {});
    [[maybe_unused]] const auto added = bench.alerts->replace({Bench::hook("chat")}, {});
    bench.publish(1);
    bench.mend_token();
    auto& table = bench.status.libraries.front().token;
    table.state = TokenState::wrong_library;
    table.needs_person = true;
    bench.clock.advance_by(3s);
    CHECK(under_way == 1);
    bench.clock.advance_by(1min);
    CHECK(under_way >= 2);
}

TEST_CASE("a disk that takes no record keeps no hook from being called")
{
    Bench bench;
    std::ofstream(bench.directory / "hooks") << "a file where a directory should be";
    bench.start({Bench::hook("chat")});
    bench.lose_token();
    bench.clock.advance_by(1min);
    CHECK(bench.calls() == Calls{"chat opened"});
    REQUIRE(bench.alerts->notices().size() == 1);
    CHECK(bench.alerts->notices().front().text.find("the record of alerts cannot be written: ") == 0);
    CHECK_FALSE(bench.alerts->notices().front().is_full_disk);
}

TEST_CASE("a damaged record is put aside and named, and alerts go on")
{
    Bench bench;
    std::filesystem::create_directory(bench.directory / "hooks");
    std::filesystem::permissions(bench.directory / "hooks", std::filesystem::perms::owner_all);
    std::ofstream(bench.directory / "hooks/alerts.json") << "{";
    bench.start({Bench::hook("chat")});
    REQUIRE(bench.alerts->notices().size() == 1);
    CHECK(bench.alerts->notices().front().text.find(
              "set aside as " + (bench.directory / "hooks/alerts.json.damaged-")) != std::string::npos);
    bench.lose_token();
    bench.clock.advance_by(1min);
    CHECK(bench.calls() == Calls{"chat opened"});
}

TEST_CASE("a consumer is called after each round that changed rows, and hears of no trouble")
{
    Bench bench;
    auto feed = Bench::hook("feed");
    feed.on.clear();
    feed.on_publish = {"*"};
    bench.publish(1);
    bench.start({feed});
    bench.lose_token();
    bench.clock.advance_by(1min);
    CHECK(bench.calls().empty());
    bench.publish(3);
    bench.clock.advance_by(1min);
    REQUIRE(bench.calls() == Calls{"feed published"});
    const auto& body = bench.client.seen().front().body;
    CHECK(body.find(R"("position_before":"feed:1","position":"feed:4")") != std::string::npos);
    CHECK(body.find(R"("added":0,"changed":3,"deleted":0)") != std::string::npos);
    bench.publish(0);
    bench.clock.advance_by(1min);
    CHECK(bench.calls().size() == 1);
}

TEST_CASE("a round that nobody accepted before a restart is announced after it, with those that came meanwhile")
{
    Bench bench;
    auto feed = Bench::hook("feed");
    feed.on_publish = {"recipes"};
    bench.publish(1);
    bench.answers.assign(1, 500);
    bench.start({feed});
    bench.publish(3);
    bench.clock.advance_by(20s);
    bench.stop();
    const auto before = bench.calls().size();
    bench.publish(4);
    bench.status.libraries.front().resources.front().published.rounds = 0;  // the next process counts from its start
    bench.status.libraries.front().resources.front().published.changed = 0;
    bench.start({feed});
    bench.clock.advance_by(1h);
    REQUIRE(bench.calls().size() == before + 2);
    CHECK(bench.client.seen()[before].body.find("\"changed\":3") != std::string::npos);
    CHECK(bench.client.seen()[before + 1].body.find("\"changed\":4") != std::string::npos);
}

TEST_CASE("a consumer that takes no rounds for a quarter of an hour is trouble that another hook hears of")
{
    Bench bench;
    auto feed = Bench::hook("feed");
    feed.on.clear();
    feed.on_publish = {"*"};
    auto chat = Bench::hook("chat");
    chat.after.reset();
    bench.client.handle([](const http::SeenRequest& request) {
        return http::Answer::of(request.url.find("feed") != std::string::npos ? 503 : 200, "");
    });
    bench.publish(1);
    bench.start({feed, chat});
    bench.publish(3);
    bench.clock.advance_by(10min);
    CHECK_FALSE(bench.has_call("chat opened"));
    bench.clock.advance_by(6min);
    CHECK(bench.has_call("chat opened"));
    CHECK(bench.client.seen().back().body.find("\"cause\":\"consumer_lag\"") != std::string::npos);
    bench.client.handle([](const http::SeenRequest&) { return http::Answer::of(200, ""); });
    bench.clock.advance_by(30min);
    CHECK(bench.has_call("chat recovered"));
}

// Libraries that are in order, beside antwerp.
void add_libraries(Bench& bench, int count)
{
    for (int i = 0; i < count; ++i) {
        auto library = bench.status.libraries.front();
        library.name = "lib" + std::to_string(i);
        library.resources.emplace_back().name = "recipes";
        bench.status.libraries.push_back(std::move(library));
    }
}

void refuse_list(control::LibraryStatus& library)
{
    library.resources.front().trouble = Trouble::forbidden;
    library.resources.front().why = "the service refuses this list to this token set (403)";
    library.resources.front().do_this = "ask the owner of " + library.name +
                                        " for the scope or permission of recipes, then: shelfctl sync " + library.name +
                                        " recipes";
}

// A cause of its own for each library: no other one has this reason.
void spoil_list(control::LibraryStatus& library)
{
    auto word = library.name;  // numbers do not tell reasons apart
    std::transform(word.begin(), word.end(), word.begin(),
                   [](char c) { return c >= '0' && c <= '9' ? static_cast<char>(c - '0' + 'a') : c; });
    auto& table = library.resources.front();
    table.name = "list_of_" + library.name;
    table.trouble = Trouble::needs_person;
    table.why = "the service does not serve this list of " + word + " (404)";
    table.do_this = "correct [resource." + table.name + "], then: shelfctl reload";
}

void fail_service(control::LibraryStatus& library)
{
    library.resources.front().trouble = Trouble::passing;
    library.resources.front().why = "the service answered 502";
    library.resources.front().state = control::State::late;
}

TEST_CASE("a page is made at once, whatever else waits")
{
    Bench bench;
    add_libraries(bench, 40);
    bench.start({Bench::hook("chat")});
    for (int i = 1; i <= 20; ++i) {
        spoil_list(bench.status.libraries[static_cast<std::size_t>(i)]);
    }
    bench.clock.advance_by(20s);
    CHECK(bench.alerts->report().hooks.front().waiting >= 9);
    bench.lose_token();
    bench.clock.advance_by(15s);
    const auto& last = bench.client.seen().back().body;
    CHECK(last.find("\"cause\":\"token_lost\"") != std::string::npos);
    CHECK(last.find("\"severity\":\"page\"") != std::string::npos);
    CHECK(bench.alerts->report().hooks.front().waiting >= 8);
    // All of them are over, which is one call, and the service fails.
    bench.clock.advance_by(20min);
    for (int i = 1; i <= 20; ++i) {
        bench.status.libraries[static_cast<std::size_t>(i)].resources.front().trouble = Trouble::none;
    }
    bench.clock.advance_by(2min + 15s);
    CHECK(bench.alerts->report().hooks.front().waiting == 0);
    CHECK(bench.client.seen().back().body.find("\"event\":\"recovered\"") != std::string::npos);
    fail_service(bench.status.libraries.back());
    bench.clock.advance_by(15s);
    CHECK(bench.client.seen().back().body.find("\"cause\":\"service\"") != std::string::npos);
}

TEST_CASE("the ends of forty incidents are one call, and a hook that refuses it gets each by itself")
{
    Bench bench;
    add_libraries(bench, 40);
    bench.start({Bench::hook("chat")});
    for (int i = 1; i <= 40; ++i) {
        spoil_list(bench.status.libraries[static_cast<std::size_t>(i)]);
    }
    bench.clock.advance_by(20min);
    REQUIRE(bench.calls().size() == 40);
    for (int i = 1; i <= 40; ++i) {
        bench.status.libraries[static_cast<std::size_t>(i)].resources.front().trouble = Trouble::none;
    }
    SECTION("it is accepted")
    {
        bench.clock.advance_by(5min);
        const auto calls = bench.calls();
        CHECK(std::count(calls.begin(), calls.end(), "chat recovered") == 1);
        CHECK(bench.client.seen().back().body.find("[ok] 40 incidents are over: ") != std::string::npos);
        CHECK(bench.alerts->report().hooks.front().waiting == 0);
    }
    SECTION("it fails, the daemon is killed, and it is made again as one")
    {
        bench.answers.assign(1, 500);
        bench.clock.advance_by(2min + 15s);
        bench.stop();
        bench.start({Bench::hook("chat")});
        bench.clock.advance_by(5min);
        const auto calls = bench.calls();
        CHECK(std::count(calls.begin(), calls.end(), "chat recovered") == 2);
        CHECK(bench.alerts->report().hooks.front().waiting == 0);
    }
    SECTION("it is refused")
    {
        bench.answers.assign(1, 400);
        bench.clock.advance_by(30min);
        const auto calls = bench.calls();
        CHECK(std::count(calls.begin(), calls.end(), "chat recovered") == 41);
        CHECK(bench.alerts->report().dropped == 0);
    }
}

TEST_CASE("a page is kept where too many calls wait, and log and status say which were dropped")
{
    Bench bench;
    add_libraries(bench, 700);
    bench.answers.assign(10'000, 500);
    bench.start({Bench::hook("chat"), Bench::hook("desk"), Bench::hook("mail")});
    for (int i = 1; i <= 700; ++i) {
        spoil_list(bench.status.libraries[static_cast<std::size_t>(i)]);
    }
    bench.clock.advance_by(16s);
    CHECK(bench.alerts->report().dropped == 100);
    bench.lose_token();
    bench.clock.advance_by(15s);
    CHECK(bench.alerts->report().dropped == 103);
    for (const auto& incident : bench.alerts->report().incidents) {
        CHECK((incident.cause != "token_lost" || incident.waiting.size() == 3));
    }
    const auto is_dropped_line = [](const std::string& line) {
        return line.find("calls of hook chat dropped: more than 2000 calls or 8 MiB wait") != std::string::npos;
    };
    CHECK(std::count_if(bench.lines.begin(), bench.lines.end(), is_dropped_line) >= 1);
    const auto is_said = [&bench] {
        const auto notices = bench.alerts->notices();
        return std::any_of(notices.begin(), notices.end(), [](const auto& notice) {
            return notice.text.find("were dropped because too many were waiting: 103 so far") != std::string::npos &&
                   !notice.do_this.empty() && notice.since;
        });
    };
    CHECK(is_said());
}

TEST_CASE("a call that waited says what is wrong when it is made, after a kill, too")
{
    Bench bench;
    add_libraries(bench, 60);
    bench.start({Bench::hook("chat")});
    for (int i = 1; i <= 20; ++i) {
        spoil_list(bench.status.libraries[static_cast<std::size_t>(i)]);
    }
    bench.clock.advance_by(20s);  // the allowance is used up
    fail_service(bench.status.libraries[21]);
    bench.clock.advance_by(15s);
    for (std::size_t i = 22; i <= 60; ++i) {
        fail_service(bench.status.libraries[i]);
    }
    bench.clock.advance_by(15s);
    SECTION("the same process") {}
    SECTION("another process, which has seen one of them")
    {
        bench.stop();
        for (std::size_t i = 22; i <= 60; ++i) {
            bench.status.libraries[i].resources.front().trouble = Trouble::none;
            bench.status.libraries[i].resources.front().state = control::State::fresh;
        }
        bench.start({Bench::hook("chat")});
    }
    bench.clock.advance_by(8min);
    std::vector<std::string> outage;
    for (const auto& request : bench.client.seen()) {
        if (request.body.find("\"cause\":\"service\"") != std::string::npos) {
            outage.push_back(request.body);
        }
    }
    REQUIRE(outage.size() == 1);
    CHECK(outage.front().find("\"event\":\"opened\"") != std::string::npos);
    CHECK(outage.front().find("\"library_count\":40") != std::string::npos);
}

TEST_CASE("a library with another reason under an open incident is told, with one end for all")
{
    Bench bench;
    add_libraries(bench, 2);
    auto& antwerp = bench.status.libraries[1];
    auto& bruges = bench.status.libraries[2];
    bench.start({Bench::hook("chat")});
    refuse_list(bruges);
    bench.clock.advance_by(1min);
    CHECK(bench.calls() == Calls{"chat opened"});
    auto stock = bruges.resources.front();
    stock.name = "stock";
    bruges.resources.push_back(stock);
    bench.clock.advance_by(2min);
    REQUIRE(bench.calls() == Calls{"chat opened", "chat changed"});
    CHECK(bench.client.seen().back().body.find(R"("joined":[{"library":"lib1","tables":["stock"])") !=
          std::string::npos);
    // The same list that is wrong in another way is an incident of its own.
    for (auto* library : {&antwerp, &bruges}) {
        library->resources.front().trouble = Trouble::needs_person;
    }
    antwerp.resources.front().why = "the answer has another form (an array) than before (results)";
    bruges.resources.front().why = "the service has no such list (404)";
    bench.clock.advance_by(1min);
    const auto calls = bench.calls();
    CHECK(std::count(calls.begin(), calls.end(), "chat opened") == 3);
}

TEST_CASE("a list that fails, and then needs a person, is one incident until it is well")
{
    Bench bench;
    add_libraries(bench, 2);
    bench.start({Bench::hook("chat")});
    for (std::size_t i : {1, 2}) {
        fail_service(bench.status.libraries[i]);
    }
    bench.clock.advance_by(1min);
    CHECK(bench.calls() == Calls{"chat opened"});
    const auto id = bench.alerts->report().incidents.front().id;
    for (std::size_t i : {1, 2}) {
        auto& table = bench.status.libraries[i].resources.front();
        table.trouble = Trouble::needs_person;
        table.why = "the service has no such list (404)";
    }
    bench.clock.advance_by(20min);
    CHECK(bench.calls() == Calls{"chat opened", "chat changed"});
    REQUIRE(bench.alerts->report().incidents.size() == 1);
    CHECK(bench.alerts->report().incidents.front().id == id);
    CHECK(bench.alerts->report().incidents.front().cause == "configuration");
    for (std::size_t i : {1, 2}) {
        bench.status.libraries[i].resources.front() = control::ResourceStatus();
        bench.status.libraries[i].resources.front().name = "recipes";
    }
    bench.clock.advance_by(3min);
    CHECK(bench.calls() == Calls{"chat opened", "chat changed", "chat recovered"});
    CHECK(bench.client.seen().back().body.find("[ok] lib0, lib1: ") != std::string::npos);
    CHECK(bench.alerts->report().ended.front().libraries == Calls{"lib0", "lib1"});
}

TEST_CASE("the list of incidents tells calls that were accepted from those that wait, and from those that were dropped")
{
    Bench bench;
    bench.answers.assign(1, 500);
    bench.start({Bench::hook("chat")});
    bench.lose_token();
    bench.clock.advance_by(16s);
    const auto before = bench.alerts->report();
    REQUIRE(before.incidents.size() == 1);
    CHECK(before.incidents.front().called.empty());
    REQUIRE(before.incidents.front().waiting.size() == 1);
    CHECK(before.incidents.front().waiting.front().hook == "chat");
    CHECK(before.incidents.front().waiting.front().since == before.hooks.front().waiting_since);
    bench.clock.advance_by(1min);
    const auto after = bench.alerts->report();
    CHECK(after.incidents.front().called == Calls{"chat"});
    CHECK(after.incidents.front().waiting.empty());
    CHECK_FALSE(after.hooks.front().waiting_since.has_value());
    bench.stop();
    bench.start({Bench::hook("chat")});
    CHECK(bench.alerts->report().incidents.front().called == Calls{"chat"});
}

TEST_CASE("a hook that refused the call of an incident was not called for it")
{
    Bench bench;
    bench.answers.assign(3, 403);
    bench.start({Bench::hook("chat")});
    bench.lose_token();
    bench.clock.advance_by(1h);
    const auto report = bench.alerts->report();
    CHECK(report.incidents.front().called.empty());
    CHECK(report.incidents.front().waiting.empty());
    CHECK(report.incidents.front().dropped == Calls{"chat"});
}

TEST_CASE("pauses of several limit groups are one incident, which each of them names")
{
    Bench bench;
    add_libraries(bench, 2);
    for (auto& library : bench.status.libraries) {
        library.budget.group = library.name;
        library.budget.paused_until = bench.clock.now() + 1h;
    }
    auto hook = Bench::hook("chat");
    hook.on = {"info"};
    bench.start({hook});
    bench.clock.advance_by(1min);
    CHECK(bench.calls() == Calls{"chat opened"});
    auto causes = control::find_causes([&bench] {
        auto status = bench.status;
        status.now = bench.clock.now();
        return status;
    }());
    REQUIRE(causes.size() == 3);
    bench.alerts->name_incidents(causes);
    for (const auto& cause : causes) {
        CHECK(cause.incident == bench.alerts->report().incidents.front().id);
    }
}

TEST_CASE("a trouble has lasted since its incident was opened, also if a restart has met it anew")
{
    Bench bench;
    auto hook = Bench::hook("chat");
    bench.lose_token();
    const auto began = bench.clock.now();
    bench.status.libraries.front().token.since = began;
    bench.start({hook});
    bench.clock.advance_by(1min);
    bench.status.libraries.front().token.since = bench.clock.now();
    bench.start({hook});
    auto status = bench.status;
    status.now = bench.clock.now();
    auto causes = control::find_causes(status);
    REQUIRE(causes.size() == 1);
    REQUIRE(causes.front().since > began);
    bench.alerts->name_incidents(causes);
    CHECK(causes.front().since == began);
    // Without a restart the status knows best: a set that was imported and lost is lost since then.
    bench.clock.advance_by(1min);
    bench.mend_token();
    bench.clock.advance_by(16s);  // one look
    bench.lose_token();
    const auto again = bench.clock.now();
    bench.status.libraries.front().token.since = again;
    bench.clock.advance_by(1min);
    status = bench.status;
    status.now = bench.clock.now();
    causes = control::find_causes(status);
    bench.alerts->name_incidents(causes);
    CHECK_FALSE(causes.front().incident.empty());
    CHECK(causes.front().since == again);
}

TEST_CASE("each of several pauses of one incident has lasted since it began, also if a restart has met it anew")
{
    Bench bench;
    add_libraries(bench, 2);
    const auto pause = [&bench](std::size_t number, std::string group) {
        auto& library = bench.status.libraries[number];
        library.budget.group = std::move(group);
        library.budget.paused_until = bench.clock.now() + 1h;
        library.resources.resize(1);
        auto& table = library.resources.front();
        table.name = "recipes";
        table.trouble = Trouble::passing;
        table.source = TroubleSource::limit;
        table.why = "rate limited by the service";
        table.since = bench.clock.now();
    };
    auto hook = Bench::hook("chat");
    hook.on = {"info"};
    const auto began = bench.clock.now();
    pause(0, "a");
    bench.start({hook});
    bench.clock.advance_by(5min);
    pause(1, "b");
    bench.clock.advance_by(5min);
    bench.stop();
    // A new process does not know better.
    pause(0, "a");
    pause(1, "b");
    bench.start({hook});
    for (int look = 0; look < 3; ++look) {
        auto status = bench.status;
        status.now = bench.clock.now();
        auto causes = control::find_causes(status);
        std::erase_if(causes, [](const auto& one) { return one.kind != control::CauseKind::limit; });
        bench.alerts->name_incidents(causes);
        REQUIRE(causes.size() == 2);
        CHECK(causes[0].since == began);
        CHECK(causes[1].since == began + 5min);
        bench.clock.advance_by(1min);
    }
}

TEST_CASE("without hooks nothing is looked at and nothing is written")
{
    Bench bench;
    bench.start({});
    bench.lose_token();
    bench.clock.advance_by(1h);
    CHECK(bench.calls().empty());
    CHECK_FALSE(std::filesystem::exists(bench.directory / "hooks/alerts.json"));
    CHECK(bench.alerts->report().incidents.empty());
}

TEST_CASE("every cause and severity can be configured, and nothing that is none")
{
    std::istringstream words{std::string(config::find_key(config::Section::hooks, "on")->range)};
    std::vector<std::string> found;
    for (std::string word; words >> word;) {
        INFO(word);
        CHECK((control::parse_cause_kind(word) || control::parse_severity(word)));
        found.push_back(word);
    }
    for (int i = 0; i < static_cast<int>(control::CauseKind::test); ++i) {
        const auto word = to_string(static_cast<control::CauseKind>(i));
        INFO(word);
        CHECK(std::find(found.begin(), found.end(), word) != found.end());
    }
}

}  // namespace
}  // namespace shelfd::app
