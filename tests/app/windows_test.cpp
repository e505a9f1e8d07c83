// Tables that are walked window by window.
#include "app/library_bench.hpp"

#include "http/url.hpp"
#include "support/catch.hpp"
#include "support/json_tree.hpp"
#include "support/scale.hpp"

#include <fmt/format.h>

#include <set>

using namespace shelfd;
using namespace std::chrono_literals;

namespace {

constexpr const char* list = "sales/lines";
constexpr auto one_day = 24h;

struct LedgerOptions {
    int days = 40;  // the ledger is so old
    int step = 7;   // days
    int a_day = 3;  // lines
    std::uint32_t page_size = 50;
    std::optional<Duration> settle = {};
    const char* zone = "Europe/Brussels";
};

// A ledger with some lines each day, the last of them today.
struct LedgerBench : LibraryBench {
    explicit LedgerBench(const LedgerOptions& given = {}) : LibraryBench(bench_options(given)) {}
    explicit LedgerBench(BenchOptions given) : LibraryBench(std::move(given)) {}

    // When it begins.
    static Instant noon()
    {
        BenchOptions options;
        options.hour = 12;
        return beginning(options);
    }
    static std::string day(Instant at) { return at.to_text().substr(0, 10); }

    static BenchOptions bench_options(const LedgerOptions& given)
    {
        BenchOptions bench;
        bench.family = "sales";
        bench.resources = {"lines"};
        bench.world.rows_of[list] = 0;
        bench.page_size = given.page_size;
        bench.hour = 12;
        bench.every = 1h;
        bench.ordering = "";
        bench.window = config::Window{.from = "date__gte",
                                      .to = "date__lt",
                                      .field = "date",
                                      .step = given.step * one_day,
                                      .since = day(noon() - given.days * one_day),
                                      .timezone = given.zone,
                                      .back = 14 * one_day};
        if (given.settle) {
            bench.settle.emplace().interval = *given.settle;
        }
        bench.prepare = [given](sim::World& world) {
            for (int age = given.days - 1; age >= 0; --age) {
                world.edit("lib01", list, lines(noon() - age * one_day, given.a_day));
            }
        };
        return bench;
    }

    static sim::Edit lines(Instant at, int count)
    {
        sim::Edit edit;
        for (int i = 0; i < count; ++i) {
            edit.add.push_back(*sim::parse_json(fmt::format(R"({{"date":"{}","net":"{}.50"}})", day(at), i)));
        }
        return edit;
    }
    // Lines of the day so many days ago.
    void add(int age, int count) { world()->edit("lib01", list, lines(clock.now() - age * one_day, count)); }
    void date(std::int64_t id, int age)
    {
        world()->edit("lib01", list,
                      {.change = {*sim::parse_json(
                           fmt::format(R"({{"id":{},"date":"{}"}})", id, day(clock.now() - age * one_day)))}});
    }
    std::int64_t id_of(int age)
    {
        return std::stoll(
            query(fmt::format("SELECT id FROM lines WHERE date = '{}'", day(clock.now() - age * one_day))));
    }

    // Bounds of the windows that were asked for since, each as often as it was.
    std::multiset<std::string> windows_asked(std::size_t since) const
    {
        std::multiset<std::string> asked;
        for (std::size_t i = since; i < client.asked.size(); ++i) {
            const auto query = http::parse_query(client.asked[i].substr(client.asked[i].find('?') + 1));
            std::string from;
            bool first = true;
            for (const auto& param : query) {
                from = param.name == "date__gte" || param.name == "created_date__gte" ? param.value : from;
                first = first && param.name != "page";
            }
            if (client.asked[i].starts_with("/api/v2/sales/lines/?") && first && !from.empty()) {
                asked.insert(from);
            }
        }
        return asked;
    }

    void check_same()
    {
        CHECK(ids("lines") == service_ids(list));
        const auto mine = mirror_rows("lines");
        std::size_t same = 0;
        for (const auto& [id, item] : service_rows(list)) {
            const auto found = mine.find(id);
            same += found != mine.end() && equal_items(found->second, item) ? 1U : 0U;
        }
        CHECK(same == mine.size());
    }

    std::string state() const { return query("SELECT state FROM freshness"); }
};

}  // namespace

TEST_CASE("a ledger is loaded window by window, the newest first, each once")
{
    LedgerBench bench;
    CHECK(bench.state() == "filling");
    bench.pass_time(5min);
    bench.check_same();
    CHECK(bench.state() == "fresh");
    CHECK(bench.query("SELECT count(*) FROM _changes") == "0");
    const auto asked = bench.windows_asked(0);
    // And once whether a window brings what lies on its first day.
    CHECK(asked.size() == 7);
    CHECK(std::set<std::string>(asked.begin(), asked.end()).size() == 7);
    CHECK(bench.query("SELECT max(rows) || ' ' || count(*) FROM _slices WHERE proven_as_of IS NOT NULL") == "21 6");
    CHECK(bench.query("SELECT complete_from = begins_at AND complete_to = as_of FROM _resources") == "1");
    // Newest first, by the runs.
    CHECK(bench.query("SELECT text FROM _proofs ORDER BY rowid DESC LIMIT 1")
              .starts_with(bench.day(bench.clock.now() - 40 * one_day)));
    CHECK(bench.query("SELECT group_concat(DISTINCT mode) FROM _runs") == "window");
}

TEST_CASE("a first load that is interrupted goes on where it was")
{
    LedgerBench bench({.days = 200, .step = 1});
    bench.clock.advance_by(500ms);
    const auto loaded = bench.windows_asked(0);
    CHECK(loaded.size() > 10);
    CHECK(loaded.size() < 180);
    CHECK(bench.state() == "filling");
    bench.stop();
    // What was published before the stop.
    const auto published = std::stoul(bench.query("SELECT count(*) FROM _slices"));
    const auto before = bench.client.asked.size();
    bench.start();
    bench.pass_time(10min);
    bench.check_same();
    CHECK(bench.state() == "fresh");
    const auto asked = bench.windows_asked(before);
    CHECK(asked.size() <= 201 - published + 1);
    CHECK(std::set<std::string>(asked.begin(), asked.end()).size() == asked.size());
}

TEST_CASE("where answers take long, several windows are asked for at once, and each once")
{
    auto options = LedgerBench::bench_options({.days = 200, .step = 1, .a_day = 1});
    options.requests_per_minute = 100;
    LedgerBench bench(std::move(options));
    bench.client.way_there = [] { return 1500ms; };
    bench.pass_time(1min);
    // One after the other they would be 40: each window that brings rows is published behind a canary of its own.
    CHECK(bench.client.asked.size() >= 65);
    bench.pass_time(7min);
    bench.check_same();
    CHECK(bench.state() == "fresh");
    const auto asked = bench.windows_asked(0);
    // And once whether a window brings what lies on its first day.
    CHECK(asked.size() == std::set<std::string>(asked.begin(), asked.end()).size() + 1);
    CHECK(bench.query("SELECT sum(requests) FROM _runs") ==
          std::to_string(std::count_if(bench.client.asked.begin(), bench.client.asked.end(), [](const auto& target) {
              return target.find("/sales/") != std::string::npos;
          })));
}

TEST_CASE("a line that moves between windows while they are walked is where the newer answer says")
{
    // The window of seven days ago has five pages, the one before it a page.
    LedgerBench bench({.days = 20, .step = 1, .a_day = 1});
    bench.add(7, 200);
    bench.pass_time(5min);
    bench.check_same();
    std::function<void()> move;
    const auto into = "date__gte=" + bench.day(bench.clock.now() - 7 * one_day);
    const auto early = bench.day(bench.clock.now() - 8 * one_day);
    const auto before = bench.client.asked.size();
    bench.client.answered = [&] {
        const auto& asked = bench.client.asked;
        const bool is_time =
            std::any_of(asked.begin() + static_cast<std::ptrdiff_t>(before), asked.end(), [&](const auto& target) {
                return target.find(into) != std::string::npos && target.find("page=2") != std::string::npos;
            });
        if (is_time && move) {
            REQUIRE(bench.windows_asked(before).count(early) == 1);
            std::exchange(move, {})();
        }
    };
    SECTION("into the one that is walked")
    {
        const auto line = bench.id_of(8);
        move = [&bench, line] { bench.date(line, 7); };
        bench.sync("lines", {sync::Wanted::full_by_person});
        CHECK(bench.windows_asked(before).count(early) == 2);
    }
    SECTION("out of it, into one whose page is here already")
    {
        const auto line = std::stoll(bench.query(
            fmt::format("SELECT min(id) FROM lines WHERE date = '{}'", bench.day(bench.clock.now() - 7 * one_day))));
        move = [&bench, line] { bench.date(line, 8); };
        // A window that moved while it was walked proves nothing; walked again at once, it knows where the line went.
        CHECK(bench.sync("lines", {sync::Wanted::full_by_person}).proof.complete());
        CHECK(bench.query("SELECT count(*) FROM _held") == "0");
        bench.sync("lines", {sync::Wanted::full_by_person});
    }
    SECTION("away")
    {
        const auto line = bench.id_of(8);
        move = [&bench, line] { bench.world()->edit("lib01", list, {.remove = {line}}); };
        bench.sync("lines", {sync::Wanted::full_by_person});
        bench.sync("lines", {sync::Wanted::full_by_person});
    }
    CHECK_FALSE(move);
    bench.check_same();
    CHECK(bench.state() == "fresh");
}

TEST_CASE("an old window that is broken for ever keeps no older one from being loaded, and is there once it is mended")
{
    LedgerBench bench;
    const auto broken = "date__gte=" + LedgerBench::day(LedgerBench::noon() - (40 - 28) * one_day);
    bench.client.body_instead = [broken](const std::string& target) {
        return target.find(broken) == std::string::npos ? std::nullopt : std::optional<std::string>("<html>");
    };
    bench.pass_time(3h);
    CHECK(bench.query("SELECT count(*) FROM _slices WHERE proven_as_of IS NOT NULL") == "5");
    CHECK(bench.state() != "fresh");
    CHECK(bench.query("SELECT count(*) BETWEEN 2 AND 20 FROM _runs WHERE result != 'published'") == "1");
    bench.client.body_instead = [](const std::string&) { return std::nullopt; };
    bench.pass_time(2h);
    bench.check_same();
    CHECK(bench.state() == "fresh");
}

TEST_CASE("a newest window that only a person can mend keeps no older one from its walks and is told all the time")
{
    LedgerBench bench({.days = 200, .step = 1});
    std::string broken;
    bench.client.body_instead = [&broken](const std::string& target) {
        const bool meant = !broken.empty() && target.find("date__gte=" + broken) != std::string::npos;
        return meant ? std::optional<std::string>(
                           R"({"count":1,"next":null,"previous":null,"results":[{"id":990001,"date":"soon"}]})")
                     : std::nullopt;
    };
    bench.pass_time(10min);
    REQUIRE(bench.state() == "fresh");
    broken = LedgerBench::day(bench.clock.now() + one_day);
    bench.pass_time(12h + 10min);  // past midnight in Brussels, and in UTC
    const auto why = R"(row 990001 has no time: its date is "soon")";
    CHECK(bench.state() == "needs_person");
    CHECK(bench.query("SELECT why FROM freshness").find(why) == 0);
    bench.add(1, 2);
    bench.pass_time(3h);
    CHECK(bench.ids("lines") == bench.service_ids(list));
    // Others went well meanwhile, and what a person has to do is still told.
    CHECK(bench.state() == "needs_person");
    CHECK(bench.query("SELECT why FROM freshness").find(why) == 0);
}

TEST_CASE("a newest window that is broken for ever keeps no other one from its walks")
{
    LedgerBench bench({.days = 200, .step = 1});
    std::string broken;
    bench.client.body_instead = [&broken](const std::string& target) {
        const bool meant = !broken.empty() && target.find("date__gte=" + broken) != std::string::npos;
        return meant ? std::optional<std::string>("<html>") : std::nullopt;
    };
    SECTION("those of the days before, which are not settled yet")
    {
        bench.pass_time(10min);
        REQUIRE(bench.state() == "fresh");
        broken = LedgerBench::day(bench.clock.now() + one_day);
        bench.pass_time(12h + 10min);  // past midnight in Brussels, and in UTC
        bench.add(1, 2);
        bench.pass_time(3h);
        CHECK(bench.ids("lines") == bench.service_ids(list));
        CHECK(bench.query("SELECT count(*) BETWEEN 1 AND 30 FROM _runs WHERE result != 'published'") == "1");
        // By now they are settled, and what the failed rounds published of them counts.
        const auto before = bench.client.asked.size();
        bench.pass_time(1h);
        CHECK(bench.windows_asked(before).count(LedgerBench::day(bench.clock.now() - one_day)) == 0);
        CHECK(bench.windows_asked(before).count(broken) > 0);
    }
    SECTION("and the older ones, which wait for their load")
    {
        bench.clock.advance_by(500ms);
        REQUIRE(bench.state() == "filling");
        broken = LedgerBench::day(bench.clock.now());
        bench.pass_time(one_day + 90min);
        CHECK(bench.query("SELECT count(*) FROM _slices WHERE proven_as_of IS NOT NULL") == "202");
    }
    SECTION("from the beginning")
    {
        bench.stop();
        for (const auto* file : {"lib01.db", "lib01.db-wal", "lib01.db-shm"}) {
            std::filesystem::remove(bench.files / (std::string("mirrors/lib01/") + file));
        }
        broken = LedgerBench::day(bench.clock.now());
        bench.start();
        bench.pass_time(2h);
        CHECK(bench.query("SELECT count(*) FROM _slices WHERE proven_as_of IS NOT NULL") == "200");
    }
    CHECK(bench.status("lines").state != control::State::fresh);
    broken.clear();
    bench.pass_time(2h);
    bench.check_same();
    CHECK(bench.state() == "fresh");
}

TEST_CASE("a ledger whose recent windows are not looked at again is not called proven by its newest ones")
{
    LedgerBench bench({.days = 30, .step = 1});
    bench.pass_time(5min);
    const auto broken = "date__gte=" + LedgerBench::day(bench.clock.now() - 5 * one_day);
    bench.client.body_instead = [broken](const std::string& target) {
        return target.find(broken) == std::string::npos ? std::nullopt : std::optional<std::string>("<html>");
    };
    bench.pass_time(2 * one_day);
    CHECK(*bench.status("lines").proven_as_of > bench.clock.now() - 2h);
    bench.pass_time(2 * one_day);
    CHECK(*bench.status("lines").as_of > bench.clock.now() - 2h);
    CHECK(*bench.status("lines").proven_as_of < bench.clock.now() - 12h);
    bench.client.body_instead = [](const std::string&) { return std::nullopt; };
    bench.pass_time(2 * one_day);
    CHECK(*bench.status("lines").proven_as_of > bench.clock.now() - 2h);
}

TEST_CASE("an ordinary round costs one window, and brings what is new in it")
{
    LedgerBench bench;
    bench.pass_time(5min);
    bench.add(0, 2);
    const auto before = bench.client.asked.size();
    const auto report = bench.sync("lines");
    REQUIRE(report.published);
    CHECK(report.published->added == 2);
    CHECK(bench.windows_asked(before).size() == 1);
    CHECK(bench.query("SELECT group_concat(op) FROM _changes") == "insert,insert");
    bench.check_same();
}

TEST_CASE("a line that is deleted in a recent window goes with the next full look, in an old one when it is settled")
{
    LedgerBench bench({.settle = 10 * one_day});
    bench.pass_time(5min);
    const auto recent = bench.id_of(10);
    const auto old = bench.id_of(35);
    bench.world()->edit("lib01", list, {.remove = {recent, old}});
    bench.pass_time(12h);
    CHECK(bench.query(fmt::format("SELECT count(*) FROM lines WHERE id IN ({}, {})", recent, old)) == "2");
    bench.pass_time(24h);
    CHECK(bench.query(fmt::format("SELECT group_concat(id) FROM lines WHERE id IN ({}, {})", recent, old)) ==
          std::to_string(old));
    bench.pass_time(10 * one_day);
    bench.check_same();
    CHECK(bench.query("SELECT count(*) FROM _changes WHERE op = 'delete'") == "2");
    CHECK(bench.state() == "fresh");
}

TEST_CASE("a planned look at the recent windows walks each once, though the service's clock is behind")
{
    auto options = LedgerBench::bench_options({.days = 30, .step = 1, .a_day = 1});
    options.requests_per_minute = 100;
    options.configure = [](config::Library& library) {
        library.resources.own().front().full =
            config::Schedule{.interval = {}, .at = {3h + 30min}, .timezone = "Europe/Brussels", .splay = 0};
    };
    LibraryBench bench(options);
    bench.client.date_ahead = -2min;
    bench.pass_time(12h);
    for (int day = 0; day < 3; ++day) {
        const auto before = bench.client.asked.size();
        bench.pass_time(one_day);
        // Fourteen windows, a round each hour, the canaries.
        CHECK(bench.client.asked.size() - before > 14 + 24);
        CHECK(bench.client.asked.size() - before < 120);
    }
}

TEST_CASE("a line without an address that is missed once goes with the next walk, though its window is old by then")
{
    auto options = LedgerBench::bench_options({.days = 40, .step = 1, .a_day = 3});
    options.exclude = {"url"};
    LibraryBench bench(options);
    bench.pass_time(5min);
    const auto day = LedgerBench::day(bench.clock.now() - 13 * one_day);
    const auto id = bench.query("SELECT min(id) FROM lines WHERE date = '" + day + "'");
    bench.world()->edit("lib01", list, {.remove = {std::stoll(id)}});
    bench.pass_time(4 * one_day);
    CHECK(bench.query("SELECT count(*) FROM lines WHERE id = " + id) == "0");
    CHECK(bench.query("SELECT count(*) FROM _changes WHERE op = 'delete'") == "1");
    CHECK(bench.query("SELECT candidates FROM _resources") == "0");
    CHECK(bench.query("SELECT count(*) FROM _slices WHERE why IS NOT NULL") == "0");
    // Its own window is not walked for it but once more: it is sought in the others.
    CHECK(bench.query("SELECT count(*) FROM _proofs WHERE text LIKE '" + day + "%'") <= "4");
}

TEST_CASE("a line whose date is corrected is in the table throughout")
{
    LedgerBench bench({.days = 30, .step = 3});
    bench.pass_time(5min);
    const auto rows = bench.ids("lines");
    SECTION("into an older window")
    {
        bench.date(bench.id_of(0), 9);
    }
    SECTION("into a newer one")
    {
        bench.date(bench.id_of(9), 0);
    }
    SECTION("into one that nobody walks by itself")
    {
        bench.date(bench.id_of(4), 28);
    }
    for (int hour = 0; hour < 60; ++hour) {
        bench.pass_time(1h);
        REQUIRE(bench.ids("lines") == rows);
        REQUIRE(bench.query("SELECT held FROM freshness") == "0");
    }
    bench.check_same();
    CHECK(bench.query("SELECT count(*) FROM _changes WHERE op <> 'update'") == "0");
}

TEST_CASE(
    "a line without an address that is dated back beyond all that is looked at stays, is said, and is found there")
{
    auto options = LedgerBench::bench_options({.days = 60, .step = 3, .a_day = 2});
    options.exclude = {"url"};
    LedgerBench bench(options);
    bench.pass_time(5min);
    const auto rows = bench.ids("lines");
    const auto today = LedgerBench::day(bench.clock.now());
    const auto before = LedgerBench::day(bench.clock.now() - 50 * one_day);
    std::vector<std::int64_t> moved;
    for (const auto* which : {"min", "max"}) {
        moved.push_back(
            std::stoll(bench.query(fmt::format("SELECT {}(id) FROM lines WHERE date = '{}'", which, today))));
        bench.date(moved.back(), 50);
    }
    // The other windows are walked at once: it is said while that goes on.
    int said = 0;
    int said_wrongly = 0;
    bench.client.answered = [&] {
        const auto why = bench.query("SELECT why FROM freshness");
        const bool says = why.find("2 rows are no longer in the windows") != std::string::npos;
        // After the first walk that lacks them.
        const bool misses = why.find("missing from their windows") != std::string::npos;
        // What is not known to be complete is not called so.
        const bool is_whole = bench.query("SELECT complete_from <= begins_at FROM _resources") == "1";
        said += says ? 1 : 0;
        said_wrongly +=
            (says || misses) == is_whole || says != (bench.query("SELECT departed FROM _resources") == "2") ? 1 : 0;
    };
    for (int hour = 0; hour < 30; ++hour) {
        bench.pass_time(1h);
        REQUIRE(bench.ids("lines") == rows);
    }
    bench.client.answered = [] {};
    CHECK(said > 0);
    CHECK(said_wrongly == 0);
    CHECK(bench.state() == "fresh");
    for (const auto id : moved) {
        CHECK(bench.query(fmt::format("SELECT date FROM lines WHERE id = {}", id)) == before);
    }
    CHECK(bench.query("SELECT count(*) FROM _changes WHERE op <> 'update'") == "0");
}

TEST_CASE("lines whose own address shows another date are said until its window is walked, and no other window is")
{
    LedgerBench bench({.days = 60, .step = 3, .a_day = 2});
    bench.pass_time(5min);
    const auto today = LedgerBench::day(bench.clock.now());
    const auto before = LedgerBench::day(bench.clock.now() - 50 * one_day);
    std::vector<std::int64_t> moved;
    for (const auto* which : {"min", "max"}) {
        moved.push_back(
            std::stoll(bench.query(fmt::format("SELECT {}(id) FROM lines WHERE date = '{}'", which, today))));
        bench.date(moved.back(), 50);
    }
    const auto asked = bench.client.asked.size();
    int said = 0;
    int said_wrongly = 0;
    bench.client.answered = [&] {
        const bool says = bench.query("SELECT why FROM freshness").find("2 rows are no longer in the windows") == 0;
        const bool is_whole = bench.query("SELECT complete_from <= begins_at FROM _resources") == "1";
        said += says ? 1 : 0;
        said_wrongly += says == is_whole ? 1 : 0;
    };
    bench.pass_time(2h);
    bench.client.answered = [] {};
    CHECK(said > 0);
    CHECK(said_wrongly == 0);
    for (const auto id : moved) {
        CHECK(bench.query(fmt::format("SELECT date FROM lines WHERE id = {}", id)) == before);
    }
    CHECK(bench.query("SELECT why FROM freshness").empty());
    CHECK(bench.query("SELECT complete_from = begins_at FROM _resources") == "1");
    // The current window, and the one of their new date.
    const auto windows = bench.windows_asked(asked);
    CHECK(std::set<std::string>(windows.begin(), windows.end()).size() == 2);
}

TEST_CASE("lines that leave their windows all the time cost no more than a part of what is left of the limit")
{
    auto options = LedgerBench::bench_options({.days = 60, .step = 1, .a_day = 5});
    options.exclude = {"url"};
    options.requests_per_minute = 100;
    LedgerBench bench(options);
    bench.pass_time(1h);
    const auto before = bench.client.asked.size();
    for (int hour = 0; hour < 48; ++hour) {
        const auto ids = bench.service_ids(list);
        bench.world()->edit("lib01", list, {.remove = {ids[ids.size() - 1 - static_cast<std::size_t>(hour)]}});
        bench.pass_time(1h);
    }
    // A tenth of the limit is 600 in an hour; a tour of sixty windows, what rows that are missing take beside it, and
    // the canaries are less.
    CHECK(bench.client.asked.size() - before < 48 * 150);
    bench.pass_time(6h);
    CHECK(bench.ids("lines") == bench.service_ids(list));
}

TEST_CASE("an old window whose order the service ignores is proven at once, by two walks that follow each other")
{
    auto options = LedgerBench::bench_options({.days = 30, .step = 10, .a_day = 4, .page_size = 10});
    const auto prepare = options.prepare;
    options.prepare = [prepare](sim::World& world) {
        prepare(world);
        world.quirks(list).ignores_ordering = true;
    };
    LedgerBench bench(options);
    bench.pass_time(10min);
    CHECK(bench.state() == "fresh");
    CHECK(bench.query("SELECT count(*) FROM _slices WHERE proven_as_of IS NULL") == "0");
    bench.check_same();
    // A third walk over each would prove no more.
    const auto asked = bench.windows_asked(0);
    for (const auto& from : asked) {
        INFO(from);
        CHECK(asked.count(from) <= 3);
    }
}

TEST_CASE("of a window that nobody counts only two walks that follow at once prove, never one and that of an hour ago")
{
    auto options = LedgerBench::bench_options({.days = 8, .step = 10, .a_day = 4, .page_size = 10});
    const auto prepare = options.prepare;
    options.prepare = [prepare](sim::World& world) {
        prepare(world);
        world.quirks(list).envelope = sim::Envelope::cursor;
        world.quirks(list).cursor_order = sim::Order{sim::OrderField::created_date, false};
    };
    LedgerBench bench(options);
    bench.pass_time(10min);
    REQUIRE(bench.state() == "fresh");
    for (int round = 0; round < 3; ++round) {
        const auto before = bench.client.asked.size();
        bench.pass_time(1h);
        const auto walks = std::count_if(bench.client.asked.begin() + static_cast<std::ptrdiff_t>(before),
                                         bench.client.asked.end(), [](const std::string& target) {
                                             return target.find("date__gte=") != std::string::npos &&
                                                    target.find("cursor=") == std::string::npos;
                                         });
        CHECK(walks == 2);
        CHECK(bench.query("SELECT kind || ' ' || complete FROM _proofs ORDER BY rowid DESC") == "two_walks 1");
    }
    bench.check_same();
}

TEST_CASE("what is wrong with a window is told until that window is good again, whatever goes well meanwhile")
{
    LedgerBench bench({.days = 60, .step = 1});
    bench.pass_time(1h);
    REQUIRE(bench.state() == "fresh");
    const auto day = LedgerBench::day(bench.clock.now() - 5 * one_day);
    struct Fault {
        const char* body;
        const char* told;
    };
    const auto fault = GENERATE(values<Fault>({
        {R"({"count":9,"next":null,"previous":null,"results":[]})", "the service counts 9"},
        {R"({"count":1,"next":null,"previous":null,"results":[{"id":990001,"date":"soon"}]})", "has no time"},
    }));
    INFO(fault.told);
    bench.client.body_instead = [day, body = std::string(fault.body)](const std::string& target) {
        return target.find("date__gte=" + day) != std::string::npos ? std::optional(body) : std::nullopt;
    };
    bench.pass_time(23h + 30min);  // the recent ones were looked at again
    for (int hour = 0; hour < 12; ++hour) {
        const auto why = bench.query("SELECT why FROM freshness");
        INFO(hour << ": " << why);
        CHECK(why.find(fault.told) != std::string::npos);
        CHECK(bench.status("lines").why == why);
        bench.sync("lines");
        bench.pass_time(1h);
    }
    bench.client.body_instead = [](const std::string&) { return std::nullopt; };
    bench.pass_time(25h);
    CHECK(bench.query("SELECT why FROM freshness").empty());
    CHECK(bench.state() == "fresh");
    bench.check_same();
}

TEST_CASE(
    "a window that moves under each walk is walked again at once for a few times, and why says that it is not proven")
{
    auto options = LedgerBench::bench_options({.days = 19, .step = 10, .a_day = 4, .page_size = 10});
    const auto prepare = options.prepare;
    options.prepare = [prepare](sim::World& world) {
        prepare(world);
        world.quirks(list).ignores_ordering = true;
    };
    LedgerBench bench(options);
    bench.pass_time(1min);
    CHECK(bench.state() == "fresh");
    // A row comes and another one goes with each page.
    bench.client.answered = [&bench] {
        auto edit = LedgerBench::lines(bench.clock.now(), 1);
        const auto ids = bench.service_ids(list);
        edit.remove = {ids[ids.size() - 20]};
        bench.world()->edit("lib01", list, edit);
    };
    const auto report = bench.sync("lines");
    REQUIRE(report.published);
    CHECK_FALSE(report.proof.complete());
    CHECK(report.pages >= 3 * 4);
    CHECK(report.pages < 3 * 6);
    CHECK_FALSE(report.remark.empty());
    CHECK(bench.query("SELECT why FROM freshness") == report.remark);
    bench.client.answered = [] {};
    CHECK(bench.sync("lines").proof.complete());
    bench.sync("lines");  // many that are missing at once wait for it
    bench.check_same();
}

TEST_CASE("a walk over all of a ledger, asked for by hand, makes the table as fresh as it began")
{
    LedgerBench bench({.days = 30, .step = 3});
    bench.pass_time(5min);
    const auto before = bench.query("SELECT as_of FROM freshness");
    bench.clock.advance_by(40min);
    // `as_of` is before the request, whose Date is cut to the second.
    const auto begun_second = (bench.clock.now() - 1s).to_text().substr(0, 19);
    SECTION("all of it")
    {
        REQUIRE(bench.sync("lines", sync::Wanted::full_by_person).published);
        CHECK(bench.query("SELECT as_of FROM freshness") >= begun_second);
        CHECK(bench.query("SELECT as_of = proven_as_of FROM freshness") == "1");
    }
    SECTION("old windows alone say nothing of the newest one")
    {
        const auto& worker = *bench.unit->tables().lists().front();
        const auto day = [&bench](int age) { return LedgerBench::day(bench.clock.now() - age * one_day); };
        const auto range = worker.time_range(day(25), day(20));
        REQUIRE(range);
        REQUIRE(bench.sync("lines", sync::Wish{sync::Wanted::full_by_person, *range}).published);
        CHECK(bench.query("SELECT as_of FROM freshness") == before);
    }
    SECTION("the newest window, named by hand")
    {
        const auto& worker = *bench.unit->tables().lists().front();
        const auto day = LedgerBench::day(bench.clock.now());
        const auto range = worker.time_range(day, day);
        REQUIRE(range);
        REQUIRE(bench.sync("lines", sync::Wish{sync::Wanted::full_by_person, *range}).published);
        CHECK(bench.query("SELECT as_of FROM freshness") >= begun_second);
    }
}

TEST_CASE("a line whose date is set to a day to come is in the table throughout, and soon with that date")
{
    const bool has_address = GENERATE(false, true);
    const bool has_end = GENERATE(false, true);
    INFO((has_address ? "with" : "without") << " an address, " << (has_end ? "with" : "without") << " `to`");
    auto options = LedgerBench::bench_options({.days = 20, .step = 1, .a_day = 2});
    options.exclude = has_address ? std::vector<std::string>{} : std::vector<std::string>{"url"};
    options.window->to = has_end ? options.window->to : "";
    LedgerBench bench(options);
    bench.pass_time(10min);
    const auto rows = bench.ids("lines");
    const auto moved = bench.id_of(0);
    const auto day = LedgerBench::day(bench.clock.now() + 6 * one_day);
    bench.date(moved, -6);
    for (int hour = 0; hour < 30; ++hour) {
        bench.pass_time(1h);
        REQUIRE(bench.ids("lines") == rows);
    }
    CHECK(bench.query(fmt::format("SELECT date FROM lines WHERE id = {}", moved)) == day);
    CHECK(bench.query("SELECT coalesce(departed, 0) FROM _resources") == "0");
    CHECK(bench.state() == "fresh");
    CHECK(bench.query("SELECT why FROM freshness").empty());
    CHECK(bench.query("SELECT held FROM freshness") == "0");
    CHECK(bench.query("SELECT complete_to <= as_of FROM _resources") == "1");
    bench.pass_time(7 * one_day);
    CHECK(bench.ids("lines") == rows);
    CHECK(bench.query("SELECT count(*) FROM _changes WHERE op <> 'update'") == "0");
    // One that is deleted there goes like any other.
    bench.world()->edit("lib01", list, {.remove = {moved}});
    bench.pass_time(3 * one_day);
    CHECK(bench.ids("lines") == bench.service_ids(list));
}

TEST_CASE(
    "where the service does not say what comes, a line that left its window stays, and the rest is as fresh as ever")
{
    auto options = LedgerBench::bench_options({.days = 20, .step = 1, .a_day = 2});
    options.exclude = {"url"};
    LedgerBench bench(options);
    bench.pass_time(5min);
    std::size_t refused = 0;
    bench.client.before_sending = [&](const std::string& target) {
        if (target.find("date__gte=") != std::string::npos && target.find("date__lt=") == std::string::npos) {
            sim::Fault fault;
            fault.path = "/api/v2/sales/lines/";
            fault.acts = false;
            fault.status = 400;
            fault.body = R"({"date__lt":["This field is required."]})";
            fault.content_type = "application/json";
            bench.world()->faults.add(fault);
            ++refused;
        }
    };
    const auto rows = bench.ids("lines");
    bench.world()->edit("lib01", list, {.remove = {bench.id_of(0)}});
    for (int hour = 0; hour < 48; ++hour) {
        bench.pass_time(1h);
        REQUIRE(bench.ids("lines") == rows);
        REQUIRE(bench.state() == "fresh");
    }
    CHECK(refused > 0);
    CHECK(refused < 12);
    const auto why = bench.query("SELECT why FROM freshness");
    CHECK(why.find("rows that left their windows may have future dates") != std::string::npos);
    // As soon as it says so, the line goes.
    bench.client.before_sending = [](const std::string&) {};
    bench.pass_time(25h);
    CHECK(bench.ids("lines") == bench.service_ids(list));
    CHECK(bench.query("SELECT why FROM freshness").empty());
}

TEST_CASE("what is wrong with a window is told after a restart, too, until that window is good again")
{
    LedgerBench bench({.days = 60, .step = 1});
    bench.pass_time(1h);
    const auto day = LedgerBench::day(bench.clock.now() - 5 * one_day);
    bench.client.body_instead = [day](const std::string& target) {
        return target.find("date__gte=" + day) != std::string::npos
                   ? std::optional<std::string>(R"({"count":9,"next":null,"previous":null,"results":[]})")
                   : std::nullopt;
    };
    bench.pass_time(23h + 30min);
    const auto told = "the service counts 9";
    REQUIRE(bench.query("SELECT why FROM freshness").find(told) != std::string::npos);
    bench.client.body_instead = [](const std::string&) { return std::nullopt; };
    const auto before = bench.client.asked.size();
    bench.stop();
    bench.start();
    REQUIRE(bench.sync("lines").published);
    REQUIRE(bench.windows_asked(before).count(day) == 0);
    CHECK(bench.query("SELECT why FROM freshness").find(told) != std::string::npos);
    CHECK(bench.status("lines").why.find(told) != std::string::npos);
    bench.pass_time(25h);
    CHECK(bench.windows_asked(before).count(day) > 0);
    CHECK(bench.query("SELECT why FROM freshness").empty());
    bench.stop();
    bench.start();
    bench.sync("lines");
    CHECK(bench.query("SELECT why FROM freshness").empty());
}

TEST_CASE("a filter that is ignored is said, and brings nothing into the table")
{
    LedgerBench bench;
    SECTION("from the beginning")
    {
        bench.stop();
        bench.world()->quirks(list).ignores_filters = true;
        bench.start();
        bench.pass_time(5min);
        CHECK(bench.ids("lines").empty());
    }
    SECTION("later")
    {
        bench.pass_time(5min);
        const auto rows = bench.ids("lines");
        bench.world()->quirks(list).ignores_filters = true;
        bench.add(0, 1);
        CHECK_FALSE(bench.sync("lines").published);
        CHECK(bench.ids("lines") == rows);
    }
    CHECK(bench.state() == "needs_person");
    CHECK(bench.query("SELECT why FROM freshness").find("the service ignores the filter") != std::string::npos);
    CHECK(bench.status("lines").do_this == "correct [resource.lines], then: shelfctl reload");
}

TEST_CASE("a from that leaves its own day out is found before any window is walked, and is mended by a correction")
{
    auto options = LedgerBench::bench_options({});
    options.window->from = "date__gt";
    LibraryBench bench(options);
    bench.pass_time(10min);
    CHECK(bench.query("SELECT state FROM freshness") == "needs_person");
    CHECK(bench.query("SELECT why FROM freshness").find("date__gt excludes its own value") != std::string::npos);
    CHECK(bench.status("lines").do_this == "correct [resource.lines], then: shelfctl reload");
    CHECK(bench.query("SELECT count(*) FROM _slices") == "0");
    bench.stop();
    bench.options().window->from = "date__gte";
    bench.start();
    bench.pass_time(10min);
    CHECK(bench.query("SELECT state FROM freshness") == "fresh");
    CHECK(bench.ids("lines") == bench.service_ids(list));
}

TEST_CASE("lines that tell the instant are asked for by the instant, through days of 23 and 25 hours")
{
    auto options = LedgerBench::bench_options({.days = 370, .step = 1, .a_day = 0});
    options.window->from = "created_date__gte";
    options.window->to = "created_date__lt";
    options.window->field = "created_date";
    options.prepare = [](sim::World& world) {
        sim::Edit edit;
        for (auto at = LedgerBench::noon() - 1h; at > LedgerBench::noon() - 369 * one_day; at = at - 17h) {
            edit.add.insert(edit.add.begin(),
                            *sim::parse_json(fmt::format(R"({{"created_date":"{}"}})", at.to_text())));
        }
        world.edit("lib01", list, edit);
    };
    LibraryBench bench(options);
    bench.pass_time(1h);
    CHECK(bench.ids("lines").size() > 500);
    CHECK(bench.ids("lines") == bench.service_ids(list));
    CHECK(bench.query("SELECT place_form FROM _resources") == "instants");
    CHECK(
        bench.query("SELECT group_concat(DISTINCT past - first) FROM (SELECT * FROM _slices ORDER BY past - first)") ==
        "82800,86400,90000");
    CHECK(bench.query("SELECT sum(rows) FROM _slices") == std::to_string(bench.ids("lines").size()));
    CHECK(bench.query("SELECT state FROM freshness") == "fresh");
}

TEST_CASE("lines that show the time of a clock without its zone are asked for by days of the ledger's zone")
{
    auto options = LedgerBench::bench_options({.days = 40, .step = 1, .a_day = 0});
    options.window->from = "created_date__gte";
    options.window->to = "created_date__lt";
    options.window->field = "created_date";
    options.prepare = [](sim::World& world) {
        sim::Edit edit;
        for (auto at = LedgerBench::noon() - 1h; at > LedgerBench::noon() - 39 * one_day; at = at - 7h) {
            const auto shown = at.to_short_text();
            edit.add.insert(edit.add.begin(), *sim::parse_json(fmt::format(R"({{"created_date":"{}"}})",
                                                                           shown.substr(0, shown.size() - 1))));
        }
        world.edit("lib01", list, edit);
    };
    SECTION("windows of whole days")
    {
        LibraryBench bench(options);
        bench.pass_time(1h);
        CHECK(bench.ids("lines").size() > 100);
        CHECK(bench.ids("lines") == bench.service_ids(list));
        CHECK(bench.query("SELECT place_form FROM _resources") == "days");
        CHECK(bench.query("SELECT sum(rows) FROM _slices") == std::to_string(bench.ids("lines").size()));
        CHECK(bench.query("SELECT state FROM freshness") == "fresh");
        bench.world()->edit("lib01", list, {.remove = {bench.ids("lines").back()}});
        bench.pass_time(30h);
        CHECK(bench.ids("lines") == bench.service_ids(list));
    }
    SECTION("windows of hours")
    {
        options.window->step = 6h;
        LibraryBench bench(options);
        bench.pass_time(10min);
        CHECK(bench.query("SELECT state FROM freshness") == "needs_person");
        CHECK(bench.query("SELECT why FROM freshness").find("must be whole days") != std::string::npos);
        CHECK(bench.query("SELECT count(*) FROM _slices") == "0");
    }
}

TEST_CASE("with from alone each step is one request chain, and no line is there twice")
{
    const std::uint32_t page_size = GENERATE(50U, 5U);
    INFO(page_size << " lines a page");
    auto options = LedgerBench::bench_options({.days = 20, .step = 4, .a_day = 1, .page_size = page_size});
    options.window->to.clear();
    LibraryBench bench(options);
    bench.pass_time(1h);
    CHECK(bench.ids("lines") == bench.service_ids(list));
    CHECK(bench.query("SELECT state FROM freshness") == "fresh");
    bench.world()->edit("lib01", list, {.remove = {bench.ids("lines")[12]}});
    bench.pass_time(30h);
    CHECK(bench.ids("lines") == bench.service_ids(list));
}

TEST_CASE("after a gap the windows that were missed are caught up, and nothing is called complete before")
{
    LedgerBench bench({.days = 20, .step = 1});
    bench.pass_time(5min);
    CHECK(bench.state() == "fresh");
    bench.stop();
    bench.pass_time(3 * one_day);
    for (int age = 3; age >= 0; --age) {
        bench.add(age, 4);
    }
    bench.start();
    bench.pass_time(10min);
    bench.check_same();
    CHECK(bench.state() == "fresh");
    CHECK(bench.query("SELECT count(*) FROM _changes WHERE op = 'insert'") == "16");
}

TEST_CASE("a ledger whose keys begin anew in each window is never called complete, and why names the key")
{
    constexpr int days = 5;
    auto options = LedgerBench::bench_options({.days = days - 1, .step = 1, .a_day = 0});
    options.configure = [](config::Library& library) { library.resources.own().front().key = {"number"}; };
    options.prepare = [](sim::World& world) {
        for (int age = days - 1; age >= 0; --age) {
            sim::Edit edit;
            const auto day = LedgerBench::day(LedgerBench::noon() - age * one_day);
            for (int number = 1; number <= 10; ++number) {
                edit.add.push_back(*sim::parse_json(fmt::format(R"({{"date":"{}","number":{}}})", day, number)));
            }
            world.edit("lib01", list, edit);
        }
    };
    LedgerBench bench(std::move(options));
    const auto today = LedgerBench::day(bench.clock.now());
    for (int hour = 0; hour < 11; ++hour) {
        bench.pass_time(1h);
        INFO(hour);
        CHECK(bench.state() == "filling");
        CHECK(bench.query("SELECT coalesce(complete_from <= begins_at AND complete_to > '" + today +
                          "', 0) FROM _resources") == "0");
        CHECK(bench.query("SELECT why FROM freshness").find("10 of 10 rows have the keys of rows of other windows") !=
              std::string::npos);
    }
    CHECK(bench.query("SELECT count(*) FROM lines") == "10");
    CHECK(bench.query("SELECT count(*) FROM _changes WHERE op = 'delete'") == "0");
    // The pauses between the walks of older windows grow.
    const auto before = bench.client.asked.size();
    bench.pass_time(one_day);
    CHECK(bench.client.asked.size() - before < 24 * 8);
}

TEST_CASE("many dates that are corrected at once to the current window raise no alarm: any row may enter it")
{
    LedgerBench bench({.days = 30, .step = 3});
    bench.pass_time(5min);
    REQUIRE(bench.state() == "fresh");
    const auto rows = bench.ids("lines");
    for (const auto id : rows) {
        const auto date = bench.query(fmt::format("SELECT date FROM lines WHERE id = {}", id));
        if (date >= LedgerBench::day(bench.clock.now() - 10 * one_day) &&
            date <= LedgerBench::day(bench.clock.now() - 6 * one_day)) {
            bench.date(id, 0);
        }
    }
    const auto report = bench.sync("lines");
    REQUIRE(report.published);
    CHECK(report.remark.find("rows have the keys of rows of other windows") == std::string::npos);
    CHECK(bench.state() == "fresh");
    CHECK(bench.ids("lines") == rows);
    bench.pass_time(5h);
    bench.check_same();
    CHECK(bench.state() == "fresh");
    CHECK(bench.query("SELECT why FROM freshness").empty());
    CHECK(bench.query("SELECT count(*) FROM _changes WHERE op <> 'update'") == "0");
}

TEST_CASE(
    "a ledger that begins later keeps its older rows, says where it is complete, and is mended once it begins earlier")
{
    LedgerBench bench({.days = 40, .step = 1});
    bench.pass_time(5min);
    REQUIRE(bench.state() == "fresh");
    const auto begin_at = [&bench](int age) {
        bench.stop();
        bench.options().window->since = LedgerBench::day(LedgerBench::noon() - age * one_day);
        bench.start();
    };
    begin_at(10);
    bench.pass_time(5min);
    bench.check_same();
    CHECK(bench.state() == "fresh");
    CHECK(bench.query("SELECT complete_from = begins_at FROM _resources") == "1");
    REQUIRE(bench.status("lines").complete_from);
    CHECK(*bench.status("lines").complete_from > LedgerBench::noon() - 11 * one_day);
    const auto old = bench.id_of(35);
    bench.world()->edit("lib01", list, {.remove = {old}});
    bench.add(20, 2);
    bench.pass_time(2 * one_day);
    CHECK(bench.query(fmt::format("SELECT count(*) FROM lines WHERE id = {}", old)) == "1");
    CHECK(bench.query("SELECT complete_from = begins_at FROM _resources") == "1");
    begin_at(40);
    bench.pass_time(one_day);
    bench.check_same();
    CHECK(bench.state() == "fresh");
    CHECK(bench.query("SELECT complete_from = begins_at FROM _resources") == "1");
    CHECK(*bench.status("lines").complete_from < LedgerBench::noon() - 40 * one_day);
}

TEST_CASE("older windows are loaded although the walk of the current one takes longer than its interval")
{
    auto options = LedgerBench::bench_options({.days = 10, .step = 1, .a_day = 1, .page_size = 5});
    options.every = 5s;
    options.prepare = [prepare = options.prepare](sim::World& world) {
        prepare(world);
        world.edit("lib01", list, LedgerBench::lines(LedgerBench::noon(), 200));
    };
    LedgerBench bench(std::move(options));
    bench.client.way_there = [] { return 1500ms; };
    bench.pass_time(5min);
    bench.check_same();
    CHECK(bench.query("SELECT count(*) FROM _slices WHERE proven_as_of IS NOT NULL") == "11");
    CHECK(bench.state() == "fresh");
}

TEST_CASE("older windows are loaded although walking the loaded ones again takes longer than its interval")
{
    auto options = LedgerBench::bench_options({.days = 10, .step = 1, .a_day = 1});
    options.full_every = 5s;
    options.configure = [](config::Library& library) { library.service.in_flight = 1; };
    LedgerBench bench(std::move(options));
    bench.client.way_there = [] { return 1500ms; };
    bench.pass_time(5min);
    bench.check_same();
    CHECK(bench.query("SELECT count(*) FROM _slices WHERE proven_as_of IS NOT NULL") == "11");
    // Both have their turns.
    CHECK(bench.windows_asked(0).size() > 50);
}

TEST_CASE("a walk by hand proves the windows that somebody names, or all of them")
{
    LedgerBench bench;
    bench.pass_time(5min);
    bench.world()->edit("lib01", list, {.remove = {bench.id_of(38), bench.id_of(20)}});
    const auto& worker = *bench.unit->tables().lists().front();
    const auto days = [&bench](int from, int to) {
        return std::pair(LedgerBench::day(bench.clock.now() - from * one_day),
                         LedgerBench::day(bench.clock.now() - to * one_day));
    };
    const auto before = bench.client.asked.size();
    const auto [from, to] = days(21, 19);
    const auto range = worker.time_range(from, to);
    REQUIRE(range);
    const auto part = bench.sync("lines", sync::Wish{sync::Wanted::full_by_person, *range});
    REQUIRE(part.published);
    CHECK(part.published->deleted == 1);
    CHECK(bench.windows_asked(before).size() <= 2);
    const auto report = bench.sync("lines", sync::Wanted::full_by_person);
    REQUIRE(report.published);
    CHECK(report.published->deleted == 1);
    bench.check_same();
    SECTION("what is no stretch of the ledger is refused with its reason")
    {
        CHECK(worker.time_range(to, from).error().text().find("comes after") != std::string::npos);
        CHECK(worker.time_range("2001-01-01", "2001-12-31").error().text().find("it has nothing") != std::string::npos);
        CHECK(worker.time_range("2101-01-01", "2101-12-31").error().text().find("it has nothing") != std::string::npos);
        CHECK(worker.time_range("soon", to).error().kind() == ErrorKind::usage);
    }
}

TEST_CASE("another kind of answer is a fault of a ledger until a person takes it")
{
    LedgerBench bench;
    bench.pass_time(5min);
    bench.check_same();
    const auto rows = bench.ids("lines").size();
    bench.world()->quirks(list).envelope = sim::Envelope::array;
    bench.add(0, 2);
    const auto refused = bench.sync("lines");
    CHECK_FALSE(refused.published);
    CHECK(refused.why.find("shelfctl sync lib01 lines --full") != std::string::npos);
    CHECK(bench.ids("lines").size() == rows);
    CHECK(bench.sync("lines", sync::Wanted::full_by_person).published);
    bench.check_same();
    CHECK(bench.sync("lines").published);
}

TEST_CASE(
    "of two stretches that are asked for while a pass goes on, each is walked, and who asked hears of the own one")
{
    LedgerBench bench;
    bench.pass_time(5min);
    auto& worker = *bench.unit->tables().lists().front();
    const auto day = [&bench](int age) { return LedgerBench::day(bench.clock.now() - age * one_day); };
    bench.world()->edit("lib01", list, {.remove = {bench.id_of(38), bench.id_of(20)}});
    worker.request_pass();
    REQUIRE(bench.clock.advance_to_next());
    REQUIRE(worker.is_busy());
    const auto ended = worker.report().passes_ended;
    const sync::Wish older{sync::Wanted::full_by_person, *worker.time_range(day(39), day(37))};
    const sync::Wish newer{sync::Wanted::full_by_person, *worker.time_range(day(21), day(19))};
    CHECK(worker.request_pass(older) == ended + 2);
    CHECK(worker.request_pass(newer) == ended + 3);
    CHECK(worker.request_pass(older) == ended + 2);
    CHECK(worker.request_pass() == ended + 4);
    for (const auto part : {2U, 3U}) {
        while (worker.report().passes_ended < ended + part) {
            REQUIRE(bench.clock.advance_to_next());
        }
        INFO(part);
        CHECK(worker.report().last_pass->published->deleted + worker.report().last_pass->published->candidates >= 1);
    }
    while (worker.report().passes_ended < ended + 4) {
        REQUIRE(bench.clock.advance_to_next());
    }
    bench.sync("lines", sync::Wanted::full_by_person);
    bench.check_same();
}

TEST_CASE("a table that is not walked in windows has none to be named")
{
    LibraryBench bench;
    const auto range = bench.unit->tables().lists().front()->time_range("2026-01-01", "2026-01-31");
    REQUIRE_FALSE(range);
    CHECK(range.error().text().find("recipes is not walked in windows") != std::string::npos);
}

TEST_CASE("after every proven walk a window holds what the service had of it, however lines come, go and move")
{
    int proven = 0;
    for (unsigned seed = 1; seed <= (sanitized ? 4 : 15); ++seed) {
        INFO("seed " << seed);
        LedgerBench bench({.days = 12, .step = 4, .a_day = 12, .page_size = 5 + seed % 9});
        bench.pass_time(5min);
        bench.check_same();
        std::mt19937 random(seed);
        // Lines that nobody touches must be there after every walk, whatever happens to the others.
        std::set<std::int64_t> untouched;
        for (const auto id : bench.ids("lines")) {
            untouched.insert(id);
        }
        for (int pass = 0; pass < 6; ++pass) {
            const auto ids = bench.service_ids(list);
            for (std::size_t page = 1; page <= 5; ++page) {
                sim::Edit edit;
                const auto id = ids[random() % ids.size()];
                const auto today = LedgerBench::day(bench.clock.now());
                switch (random() % 4) {
                case 0: edit.remove.push_back(id); break;
                case 1:
                    edit.change.push_back(*sim::parse_json(
                        fmt::format(R"({{"id":{},"date":"{}"}})", id,
                                    LedgerBench::day(bench.clock.now() - one_day * static_cast<int>(random() % 12)))));
                    break;
                case 2: edit.add.push_back(*sim::parse_json(fmt::format(R"({{"date":"{}"}})", today))); break;
                default: continue;
                }
                untouched.erase(id);
                bench.world()->edit_after("lib01", list, page, std::move(edit));
            }
            const auto report = bench.sync("lines", sync::Wanted::full_by_person);
            REQUIRE(report.published);
            proven += report.proof.complete() ? 1 : 0;
            const auto mine = bench.mirror_rows("lines");
            const auto theirs = bench.service_rows(list);
            for (const auto id : untouched) {
                const auto found = mine.find(id);
                REQUIRE(found != mine.end());
                REQUIRE(equal_items(found->second, theirs.at(id)));
            }
        }
        // When changes stop, two proven walks are enough.
        for (int pass = 0; pass < 3; ++pass) {
            bench.sync("lines", sync::Wanted::full_by_person);
        }
        REQUIRE(bench.query("SELECT held FROM freshness") == "0");
        bench.check_same();
    }
    WARN(proven << " of the rounds over moving ledgers were proven throughout");
    CHECK(proven > 0);
}
