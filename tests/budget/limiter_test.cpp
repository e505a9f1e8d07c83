#include "budget/limiter.hpp"

#include "runtime/async/task_group.hpp"
#include "support/catch.hpp"
#include "support/simulated_clock.hpp"
#include "support/temp_directory.hpp"

#include <algorithm>
#include <csignal>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include <sys/resource.h>
#include <sys/stat.h>

namespace shelfd::budget {
namespace {

using namespace std::chrono_literals;

// A service that counts each request at some moment between its begin and its end.
struct CountingService {
    std::mt19937_64 random{42};
    Duration shortest{10ms};
    Duration longest{400ms};
    std::vector<BootTime> counted;
    std::size_t on_its_way = 0;  // sent, not counted yet

    // How many any half-open minute holds at most.
    std::size_t fullest_minute()
    {
        std::sort(counted.begin(), counted.end());
        std::size_t most = 0;
        std::size_t first = 0;
        for (std::size_t last = 0; last < counted.size(); ++last) {
            while (counted[last] - counted[first] >= Duration(60s)) {
                ++first;
            }
            most = std::max(most, last - first + 1);
        }
        return most;
    }

    Duration pick(Duration from, Duration to)
    {
        return Duration(std::uniform_int_distribution<std::int64_t>(from.count(), to.count())(random));
    }
};

// While it lives, no file of this process can grow (EFBIG).
class FullDisk {
public:
    FullDisk() : handler_(std::signal(SIGXFSZ, SIG_IGN))
    {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit nothing{0, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &nothing);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;
    ~FullDisk()
    {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

private:
    void (*handler_)(int);
    rlimit before_{};
};

struct Fixture {
    asio::io_context loop;
    SimulatedClock clock{loop};
    TaskGroup tasks{loop.get_executor()};
    std::unique_ptr<Limiter> limiter;
    std::vector<std::string> order;

    void open(LimiterOptions options, const std::string& boot_id = "boot-1")
    {
        limiter.reset();
        auto opened = Limiter::open(std::move(options), clock, boot_id);
        REQUIRE(opened.has_value());
        limiter = std::move(*opened);
    }

    void stop()
    {
        tasks.cancel();
        clock.settle();
        REQUIRE(tasks.size() == 0);
    }

    // Requests without end, as fast as the limiter lets them.
    asio::awaitable<void> work(CountingService& service, Purpose purpose)
    {
        for (;;) {
            const auto permit = co_await limiter->acquire(purpose);
            const auto latency = service.pick(service.shortest, service.longest);
            const auto counted_after = service.pick(Duration(0), latency);
            ++service.on_its_way;
            co_await clock.sleep_for(counted_after);
            --service.on_its_way;
            service.counted.push_back(clock.boot_now());
            co_await clock.sleep_for(latency - counted_after);
        }
    }

    // Takes a permit and notes whose turn it was; keeps it for `hold`.
    asio::awaitable<void> once(Purpose purpose, std::string name, Duration hold)
    {
        const auto permit = co_await limiter->acquire(purpose);
        order.push_back(name);
        co_await clock.sleep_for(hold);
    }

    // Begins and ends that many requests now, or as soon as possible.
    asio::awaitable<void> spend(int count, Purpose purpose = Purpose::full)
    {
        for (int i = 0; i < count; ++i) {
            const auto permit = co_await limiter->acquire(purpose);
        }
    }

    asio::awaitable<void> answered(AnswerFacts facts, Purpose purpose = Purpose::full)
    {
        const auto permit = co_await limiter->acquire(purpose);
        limiter->observe(permit, facts);
    }

    Duration time_to_acquire(Purpose purpose)
    {
        const auto begun = clock.boot_now();
        clock.run(spend(1, purpose));
        return clock.boot_now() - begun;
    }
};

LimiterOptions options_of(std::uint32_t per_minute, std::uint32_t in_flight, std::string log_path = "")
{
    LimiterOptions options;
    options.per_minute = per_minute;
    options.in_flight = in_flight;
    options.log_path = std::move(log_path);
    return options;
}

}  // namespace

TEST_CASE_METHOD(Fixture, "no minute of the service holds more than the limit, whatever the delays")
{
    struct Row {
        const char* name;
        std::uint32_t per_minute;
        std::uint32_t in_flight;
        Duration shortest, longest;
    };
    const std::vector<Row> rows = {
        {"quick answers", 100, 8, 1ms, 20ms},
        {"jitter of seconds", 100, 8, 1ms, 5s},
        {"answers slower than the window", 10, 8, 1s, 130s},
        {"one at a time", 30, 1, 100ms, 3s},
        {"the least there is", 1, 8, 1ms, 70s},
    };
    for (const auto& row : rows) {
        for (const std::uint64_t seed : {1u, 2u, 3u}) {
            CAPTURE(row.name, seed);
            CountingService service;
            service.random.seed(seed);
            service.shortest = row.shortest;
            service.longest = row.longest;
            open(options_of(row.per_minute, row.in_flight));
            for (const auto purpose : {Purpose::interactive, Purpose::incremental, Purpose::full, Purpose::rolling}) {
                for (int i = 0; i < 4; ++i) {
                    tasks.spawn(work(service, purpose));
                }
            }
            for (int minute = 0; minute < 15; ++minute) {
                clock.advance_by(60s);
                CHECK(limiter->status().in_flight <= row.in_flight);
            }
            stop();
            CHECK(service.counted.size() >= row.per_minute);
            CHECK(service.fullest_minute() <= row.per_minute);
        }
    }
}

TEST_CASE_METHOD(Fixture, "with a backlog at least 98 of a hundred requests a minute are spent")
{
    for (const Duration latency : {Duration(20ms), Duration(300ms), Duration(800ms)}) {
        CAPTURE(latency.count());
        CountingService service;
        service.shortest = latency / 2;
        service.longest = latency;
        open(options_of(100, 8));
        for (int i = 0; i < 8; ++i) {
            tasks.spawn(work(service, Purpose::full));
        }
        clock.advance_by(60s);
        service.counted.clear();
        clock.advance_by(60min);
        stop();
        CHECK(service.counted.size() >= 60u * 98u);
        CHECK(service.counted.size() <= 60u * 100u);
    }
}

TEST_CASE_METHOD(Fixture, "killed and opened again at any moment, the limit still holds")
{
    const TempDirectory directory;
    const auto path = directory / "requests.log";
    CountingService service;
    service.longest = 3s;
    for (int life = 0; life < 40; ++life) {
        open(options_of(20, 8, path));
        for (int i = 0; i < 8; ++i) {
            tasks.spawn(work(service, Purpose::full));
        }
        clock.advance_by(service.pick(0ms, 50s));
        // What a killed process leaves: the file as it is, requests in flight that the service still counts.
        const auto left = read_file(path);
        stop();
        limiter.reset();
        write_file(path, left);
        clock.advance_by(service.pick(0ms, 2s));
        service.counted.insert(service.counted.end(), std::exchange(service.on_its_way, 0), clock.boot_now());
    }
    CHECK(service.counted.size() > 100);
    CHECK(service.fullest_minute() <= 20);
}

TEST_CASE_METHOD(Fixture, "a request in flight when its process died counts for a minute from the next start")
{
    const TempDirectory directory;
    const auto path = directory / "requests.log";
    open(options_of(5, 8, path));
    tasks.spawn(once(Purpose::full, "long", 1h));
    clock.advance_by(10min);
    const auto left = read_file(path);
    stop();
    limiter.reset();
    write_file(path, left);
    open(options_of(5, 8, path));
    CHECK(limiter->status().used == 1);
    CHECK(limiter->status().in_flight == 0);
    clock.advance_by(59s);
    CHECK(limiter->status().used == 1);
    clock.advance_by(2s);
    CHECK(limiter->status().used == 0);
}

TEST_CASE_METHOD(Fixture, "after a reboot bulk work waits a minute while a few others pass")
{
    const TempDirectory directory;
    const auto path = directory / "requests.log";
    open(options_of(100, 8, path), "boot-1");
    clock.run(spend(1));
    open(options_of(100, 8, path), "boot-2");
    CHECK(limiter->status().used == 90);
    CHECK(time_to_acquire(Purpose::interactive) == Duration(0));
    CHECK(time_to_acquire(Purpose::full) >= Duration(60s));
    open(options_of(100, 8, path), "boot-2");
    CHECK(time_to_acquire(Purpose::full) == Duration(0));
}

TEST_CASE_METHOD(Fixture, "a first start waits for nothing, a log that cannot be read counts as another boot's")
{
    const TempDirectory directory;
    open(options_of(100, 8, directory / "new.log"));
    CHECK(time_to_acquire(Purpose::full) == Duration(0));
    write_file(directory / "torn.log", "shelfdB");
    open(options_of(100, 8, directory / "torn.log"));
    CHECK(time_to_acquire(Purpose::full) >= Duration(60s));
    auto missing = Limiter::open(options_of(100, 8, directory / "no/such.log"), clock, "boot-1");
    REQUIRE(!missing.has_value());
    CHECK(missing.error().kind() == ErrorKind::storage);
    CHECK(missing.error().system_errno == ENOENT);
}

TEST_CASE_METHOD(Fixture, "a log that ends within a slot may tell too little: once, the minute before counts as busy")
{
    const TempDirectory directory;
    const auto path = directory / "cut.log";
    open(options_of(100, 8, path));
    CHECK(time_to_acquire(Purpose::full) == Duration(0));
    limiter.reset();
    write_file(path, read_file(path) + "cut");
    open(options_of(100, 8, path));
    CHECK(limiter->status().used == 90);
    CHECK(limiter->status().log_errno == 0);
    CHECK(time_to_acquire(Purpose::full) >= Duration(60s));
    open(options_of(100, 8, path));
    CHECK(time_to_acquire(Purpose::full) == Duration(0));
}

TEST_CASE_METHOD(Fixture, "a time before the boot in the log counts as a request of just now, and stays one")
{
    const TempDirectory directory;
    const auto path = directory / "damaged.log";
    open(options_of(100, 8, path));
    limiter.reset();
    auto bytes = read_file(path);
    bytes.back() = '\x80';  // of the last slot: the least number that there is
    write_file(path, bytes);
    for (int life = 0; life < 2; ++life) {
        open(options_of(100, 8, path));
        CHECK(limiter->status().used == 1);
    }
    clock.advance_by(61s);
    CHECK(limiter->status().used == 0);
}

TEST_CASE_METHOD(Fixture,
                 "there is room for requests while the limit has so many left, and for no more than half of it")
{
    open({.per_minute = 100, .log_path = ""});
    clock.run(spend(90));
    CHECK(limiter->has_room(Purpose::full, 10));
    CHECK_FALSE(limiter->has_room(Purpose::full, 11));
    CHECK(limiter->has_room(Purpose::full, 0));
    clock.advance_by(30s);
    clock.run(spend(1));
    REQUIRE(limiter->next_change());
    clock.advance_to(*limiter->next_change());
    CHECK(limiter->has_room(Purpose::full, 50));
    CHECK(limiter->has_room(Purpose::full, 5'000));  // what has more waits no longer than for half of it
    clock.run(spend(49));
    CHECK(limiter->has_room(Purpose::full, 5'000));
    clock.run(spend(1));
    CHECK_FALSE(limiter->has_room(Purpose::full, 5'000));
    clock.run(answered(
        {.status = 429, .retry_after = Duration(40s), .limit = {}, .remaining = {}, .reset = {}, .refill = {}}));
    CHECK_FALSE(limiter->has_room(Purpose::full, 1));
    open({.per_minute = std::nullopt, .log_path = ""});
    CHECK(limiter->has_room(Purpose::full, 5'000));
}

TEST_CASE_METHOD(Fixture, "waiting requests are served by class, then in the order they came")
{
    open(options_of(100, 1));
    tasks.spawn(once(Purpose::full, "first", 1s));
    clock.settle();
    const std::vector<std::pair<Purpose, std::string>> line = {
        {Purpose::rolling, "rolling"},    {Purpose::full, "full 1"},     {Purpose::detail, "detail"},
        {Purpose::incremental, "incr 1"}, {Purpose::interactive, "now"}, {Purpose::incremental, "incr 2"},
        {Purpose::full, "full 2"}};
    for (const auto& [purpose, name] : line) {
        tasks.spawn(once(purpose, name, 1s));
    }
    clock.advance_by(30s);
    CHECK(order ==
          std::vector<std::string>{"first", "now", "incr 1", "incr 2", "full 1", "full 2", "detail", "rolling"});
}

TEST_CASE_METHOD(Fixture, "a newcomer of a higher class overtakes who waits for the minute to pass")
{
    open(options_of(1, 8));
    clock.run(spend(1));
    tasks.spawn(once(Purpose::full, "full", 0s));
    clock.advance_by(30s);
    tasks.spawn(once(Purpose::interactive, "now", 0s));
    clock.advance_by(5min);
    CHECK(order == std::vector<std::string>{"now", "full"});
}

TEST_CASE_METHOD(Fixture, "a cancelled wait costs nothing and lets the next one go")
{
    open(options_of(100, 1));
    TaskGroup impatient(loop.get_executor());
    tasks.spawn(once(Purpose::full, "holder", 10s));
    clock.settle();
    impatient.spawn(once(Purpose::interactive, "never", 1s));
    tasks.spawn(once(Purpose::full, "next", 1s));
    clock.advance_by(5s);
    CHECK(limiter->status().waiting == 2);
    impatient.cancel();
    clock.settle();
    CHECK(impatient.size() == 0);
    CHECK(limiter->status().waiting == 1);
    clock.advance_by(10s);
    CHECK(order == std::vector<std::string>{"holder", "next"});
    CHECK(limiter->status().used == 2);
}

TEST_CASE_METHOD(Fixture, "the first in line may be cancelled while it sleeps for the minute")
{
    open(options_of(1, 8));
    TaskGroup impatient(loop.get_executor());
    clock.run(spend(1));
    impatient.spawn(once(Purpose::full, "never", 1s));
    clock.settle();
    tasks.spawn(once(Purpose::full, "next", 1s));
    clock.advance_by(30s);
    impatient.cancel();
    clock.settle();
    CHECK(impatient.size() == 0);
    clock.advance_by(40s);
    CHECK(order == std::vector<std::string>{"next"});
}

TEST_CASE_METHOD(Fixture, "a request that never left gives its slot back")
{
    open(options_of(1, 8));
    auto fail = [](Limiter& from) -> asio::awaitable<void> {
        auto permit = co_await from.acquire(Purpose::full);
        permit.give_back();
    };
    clock.run(fail(*limiter));
    CHECK(limiter->status().used == 0);
    CHECK(time_to_acquire(Purpose::full) == Duration(0));
    CHECK(time_to_acquire(Purpose::full) >= Duration(60s));
}

TEST_CASE_METHOD(Fixture, "bulk work leaves slots for an incremental pass due within a minute")
{
    open(options_of(50, 8));
    {
        clock.run(spend(39));
        const auto due = limiter->announce_due(clock.boot_now() + 50s, 10);
        CHECK(time_to_acquire(Purpose::full) == Duration(0));
        CHECK(limiter->status().used == 40);
        tasks.spawn(once(Purpose::rolling, "rolling", 0s));
        clock.advance_by(45s);
        CHECK(order.empty());
        CHECK(time_to_acquire(Purpose::incremental) == Duration(0));
    }
    clock.advance_by(1ms);
    CHECK(order == std::vector<std::string>{"rolling"});
}

TEST_CASE_METHOD(Fixture, "bulk work takes the slots that come free again before an incremental pass is due")
{
    open(options_of(50, 8));
    clock.run(spend(30));
    clock.advance_by(20s);
    clock.run(spend(10));
    const auto due = limiter->announce_due(clock.boot_now() + 45s, 10);
    clock.run(spend(10));
    CHECK(limiter->status().used == 50);
    clock.advance_by(45s);
    CHECK(limiter->status().used == 20);
}

TEST_CASE_METHOD(Fixture, "bulk work leaves as many slots as are announced together, and not more than ten")
{
    const auto due_in = [this](Duration wait) { return limiter->announce_due(clock.boot_now() + wait, 4); };
    const auto fill = [this] {
        TaskGroup bulk(loop.get_executor());
        bulk.spawn(spend(100));
        clock.settle();
        bulk.cancel();
        clock.settle();
        return limiter->status().used;
    };
    open(options_of(100, 8));
    std::vector<Announcement> due;
    due.push_back(due_in(30s));
    due.push_back(due_in(70s));
    CHECK(fill() == 96);
    due.clear();
    due.push_back(due_in(-5s));
    CHECK(fill() == 96);
    due.clear();
    CHECK(fill() == 100);

    open(options_of(100, 8));
    for (int i = 0; i < 2; ++i) {
        due.push_back(due_in(10s * i));
    }
    CHECK(fill() == 92);
    due.clear();
    open(options_of(100, 8));
    for (int i = 0; i < 4; ++i) {
        due.push_back(due_in(10s * i));
    }
    CHECK(fill() == 90);
    due.clear();

    open(options_of(20, 8));
    due.push_back(due_in(10s));
    due.push_back(due_in(20s));
    CHECK(fill() == 16);
    due.clear();
}

TEST_CASE_METHOD(Fixture, "a 429 pauses everything but the token endpoint, for as long as it says")
{
    struct Row {
        const char* name;
        int status;
        std::optional<Duration> retry_after;
        Duration least, most;
    };
    const std::vector<Row> rows = {
        {"429 with seconds", 429, Duration(17s), 17s, 17s}, {"429 without", 429, std::nullopt, 60s, 61s},
        {"429 with zero", 429, Duration(0), 1s, 1s},        {"429 with a month", 429, Duration(720h), 24h, 24h},
        {"503 with seconds", 503, Duration(5s), 5s, 5s},    {"503 without", 503, std::nullopt, 0s, 0s},
        {"200 with seconds", 200, Duration(5s), 0s, 0s},
    };
    for (const auto& row : rows) {
        CAPTURE(row.name);
        open(options_of(100, 8));
        AnswerFacts facts;
        facts.status = row.status;
        facts.retry_after = row.retry_after;
        clock.run(answered(facts));
        CHECK(limiter->status().paused_until.has_value() == (row.most > Duration(0)));
        const auto waited = time_to_acquire(Purpose::interactive);
        CHECK(waited >= row.least);
        CHECK(waited <= row.most);
    }
}

TEST_CASE_METHOD(Fixture, "a path that is closed for a while holds up no other, if another was answered meanwhile")
{
    open(options_of(100, 8));
    AnswerFacts fine;
    fine.status = 200;
    AnswerFacts closed;
    closed.status = GENERATE(503, 409);
    closed.retry_after = 20s;
    clock.run(answered(fine));
    clock.run(answered(closed));
    CHECK_FALSE(limiter->status().paused_until);
    clock.run(answered(closed));
    CHECK(time_to_acquire(Purpose::interactive) == Duration(5s));
    clock.run(answered(fine));
    clock.run(answered(closed));
    CHECK_FALSE(limiter->status().paused_until);
    AnswerFacts broken;
    broken.status = 502;
    clock.run(answered(broken));  // shows nothing
    clock.run(answered(closed));
    CHECK(limiter->status().paused_until);
    clock.advance_by(5s);
    clock.run(answered(fine));
    AnswerFacts limited = closed;
    limited.status = 429;
    clock.run(answered(limited));
    CHECK(time_to_acquire(Purpose::interactive) == Duration(20s));
}

TEST_CASE_METHOD(Fixture, "a pause that begins while somebody waits holds him, too")
{
    open(options_of(1, 8));
    clock.run(spend(1));
    tasks.spawn(once(Purpose::full, "late", 0s));
    clock.advance_by(10s);
    auto refused = [](Limiter& from, AnswerFacts facts) -> asio::awaitable<void> {
        // Only a request still in flight can bring news; this one began before the limit was reached.
        const auto permit = co_await from.acquire(Purpose::interactive);
        from.observe(permit, facts);
    };
    AnswerFacts facts;
    facts.status = 429;
    facts.retry_after = 300s;
    limiter->reconfigure({2, 8, ""});
    clock.run(refused(*limiter, facts));
    const auto begun = clock.boot_now();
    clock.advance_by(299s);
    CHECK(order.empty());
    clock.advance_to(begun + 301s);
    CHECK(order == std::vector<std::string>{"late"});
}

TEST_CASE_METHOD(Fixture, "a pause outlives the process that was asked for it, and a reboot ends it")
{
    TempDirectory directory;
    auto options = options_of(100, 8);
    options.log_path = directory.path() + "/requests";
    open(options);
    AnswerFacts facts;
    facts.status = 429;
    facts.retry_after = 300s;
    clock.run(answered(facts));
    clock.advance_by(100s);
    open(options);
    CHECK(limiter->status().paused_until == clock.now() + 200s);
    CHECK(time_to_acquire(Purpose::interactive) == Duration(200s));
    open(options);
    CHECK_FALSE(limiter->status().paused_until);
    clock.run(answered(facts));
    open(options, "boot-2");
    CHECK_FALSE(limiter->status().paused_until);
}

TEST_CASE_METHOD(Fixture, "a limit that nobody tells is learned from the refusal, for an hour")
{
    struct Row {
        const char* name;
        int sent;
        std::optional<Duration> retry_after;
        std::optional<std::uint32_t> told;
        std::uint32_t limit;
    };
    const std::vector<Row> rows = {
        {"no word of a pause", 60, std::nullopt, std::nullopt, 60},
        {"the rest of the minute", 60, Duration(40s), std::nullopt, 60},
        {"a second, after many", 60, Duration(1s), std::nullopt, 60},
        {"a second, after few: a burst", 28, Duration(1s), std::nullopt, 100},
        {"after very few", 20, Duration(40s), std::nullopt, 100},
        {"a day's limit", 60, Duration(2h), std::nullopt, 100},
        {"a service that tells", 60, Duration(40s), 80, 80},
    };
    for (const auto& row : rows) {
        CAPTURE(row.name);
        open(options_of(100, 8));
        clock.run(spend(row.sent));
        AnswerFacts facts;
        facts.status = 429;
        facts.retry_after = row.retry_after;
        facts.limit = row.told;
        clock.run(answered(facts));
        CHECK(limiter->status().limit == row.limit);
        clock.advance_by(60min);
        CHECK(limiter->status().limit == row.told.value_or(100));
    }
    // What was under way beside the refused one may be refused as well.
    open(options_of(100, 8));
    clock.run(spend(60));
    for (int i = 0; i < 5; ++i) {
        tasks.spawn(once(Purpose::interactive, "under way", 10s));
    }
    clock.settle();
    AnswerFacts without_a_word;
    without_a_word.status = 429;
    clock.run(answered(without_a_word));
    CHECK(limiter->status().limit == 60);
    stop();
    open(options_of(100, 8));
    clock.run(spend(60));
    AnswerFacts refused;
    refused.status = 429;
    clock.run(answered(refused));
    clock.advance_by(2min);
    clock.run(spend(60));
    CHECK(time_to_acquire(Purpose::interactive) >= Duration(60s));
}

TEST_CASE_METHOD(Fixture, "a refusal of the first of few requests leaves a limit of one, not of none")
{
    for (const auto limit : {1U, 2U, 3U}) {
        open(options_of(limit, 8));
        AnswerFacts refused;
        refused.status = 429;
        clock.run(answered(refused));
        CHECK(limiter->status().limit == 1);
        CHECK(time_to_acquire(Purpose::incremental) <= Duration(61s));
        stop();
    }
}

TEST_CASE_METHOD(Fixture, "bulk requests that hang leave one of the places to polls and questions")
{
    open(options_of(100, 4));
    for (int i = 0; i < 6; ++i) {
        tasks.spawn(once(Purpose::full, "bulk", 60s));
    }
    clock.settle();
    CHECK(order.size() == 3);
    tasks.spawn(once(Purpose::incremental, "poll", 60s));
    clock.settle();
    CHECK(order.back() == "poll");
    tasks.spawn(once(Purpose::interactive, "question", 60s));
    clock.settle();
    CHECK(order.size() == 4);
    stop();
    order.clear();
    open(options_of(100, 4));
    for (int i = 0; i < 6; ++i) {
        tasks.spawn(once(Purpose::detail, "detail", 60s));
    }
    clock.settle();
    CHECK(order.size() == 2);
    tasks.spawn(once(Purpose::full, "whole list", 60s));
    clock.settle();
    CHECK(order.back() == "whole list");
    stop();
    order.clear();
    open(options_of(100, 1));
    tasks.spawn(once(Purpose::full, "bulk", 0s));
    clock.settle();
    CHECK(order.size() == 1);
}

TEST_CASE_METHOD(Fixture, "a whole list takes every place while answers arrive and no poll is due soon")
{
    const auto fill = [this] {
        for (int i = 0; i < 6; ++i) {
            tasks.spawn(once(Purpose::full, "bulk", 60s));
        }
        clock.settle();
    };
    open(options_of(100, 4));
    clock.run(spend(1));
    fill();
    CHECK(order.size() == 4);
    stop();
    order.clear();
    open(options_of(100, 4));
    clock.run(spend(1));
    {
        const auto due = limiter->announce_due(clock.boot_now() + 30s, 1);
        fill();
        CHECK(order.size() == 3);
    }
    stop();
    order.clear();
    open(options_of(100, 4));
    clock.run(spend(1));
    clock.advance_by(1s);  // nothing was answered since
    fill();
    CHECK(order.size() == 3);
    stop();
}

TEST_CASE_METHOD(Fixture, "a request on which a token set may depend waits for no place")
{
    open(options_of(100, 2));
    for (int i = 0; i < 3; ++i) {
        tasks.spawn(once(Purpose::interactive, "question", 60s));
    }
    clock.settle();
    CHECK(order.size() == 2);
    tasks.spawn(once(Purpose::token, "canary", 60s));
    clock.settle();
    CHECK(order.back() == "canary");
    stop();
}

TEST_CASE_METHOD(Fixture, "the service's own limit narrows ours and never widens it")
{
    open(options_of(100, 200));
    AnswerFacts facts;
    facts.status = 200;
    facts.limit = 5000;
    clock.run(answered(facts));
    CHECK(limiter->status().limit == 100);
    facts.limit = 30;
    clock.run(answered(facts));
    CHECK(limiter->status().limit == 30);
    clock.run(spend(28));
    CHECK(time_to_acquire(Purpose::full) >= Duration(60s));
}

TEST_CASE_METHOD(
    Fixture, "what somebody else uses of the limit is yielded to with room for more, our own is not held against us")
{
    open(options_of(100, 8));
    AnswerFacts facts;
    facts.status = 200;
    facts.limit = 100;
    for (std::uint32_t sent = 1; sent <= 20; ++sent) {
        facts.remaining = 100 - sent;
        clock.run(answered(facts));
        CHECK(limiter->status().foreign == 0);
    }
    facts.remaining = 20;
    clock.run(answered(facts));
    CHECK(limiter->status().foreign == 59);
    clock.run(spend(10));
    CHECK(clock.boot_now() == BootTime::from_micros(1'000'000'000));
    // Bulk work leaves a tenth of the limit to whoever it is; what is polled does not.
    CHECK(time_to_acquire(Purpose::incremental) == Duration(0));
    CHECK(time_to_acquire(Purpose::full) >= Duration(60s));
}

TEST_CASE_METHOD(Fixture,
                 "foreign use that was seen is yielded to for a minute, though the service's window slides sooner")
{
    open(options_of(60, 8));
    AnswerFacts facts;
    facts.status = 200;
    facts.limit = 60;
    facts.remaining = 39;  // of 60, less our first and somebody's 20
    facts.reset = 3s;
    clock.run(answered(facts));
    CHECK(limiter->status().foreign == 20);
    clock.run(spend(39 - 6));
    clock.advance_by(5s);
    CHECK(limiter->status().foreign == 20);
    CHECK(time_to_acquire(Purpose::full) >= Duration(54s));
}

TEST_CASE_METHOD(Fixture, "with a window longer than a minute, nothing remaining means waiting for its reset")
{
    open(options_of(100, 8));
    AnswerFacts facts;
    facts.status = 200;
    facts.limit = 1000;
    facts.remaining = 0;
    facts.reset = 30min;
    clock.run(answered(facts));
    CHECK(time_to_acquire(Purpose::full) == Duration(30min));
}

TEST_CASE_METHOD(Fixture, "requests that the network layer repeated by itself are counted")
{
    open(options_of(3, 8));
    AnswerFacts facts;
    facts.status = 200;
    facts.requests_sent = 3;
    clock.run(answered(facts));
    CHECK(limiter->status().used == 3);
    CHECK(limiter->status().requests == 3);
    CHECK(time_to_acquire(Purpose::full) >= Duration(60s));
}

TEST_CASE_METHOD(Fixture, "a new limit takes effect at once, down and up; from none it begins carefully")
{
    open(options_of(10, 8));
    clock.run(spend(8));
    limiter->reconfigure({8, 8, ""});
    tasks.spawn(once(Purpose::full, "waits", 0s));
    clock.advance_by(1s);
    CHECK(order.empty());
    limiter->reconfigure({9, 8, ""});
    clock.settle();
    CHECK(order == std::vector<std::string>{"waits"});

    LimiterOptions unlimited;
    unlimited.per_minute = std::nullopt;
    open(unlimited);
    clock.run(spend(1000));
    CHECK(!limiter->status().limit.has_value());
    CHECK(limiter->status().requests == 1000);
    limiter->reconfigure({100, 8, ""});
    CHECK(time_to_acquire(Purpose::full) >= Duration(60s));
}

TEST_CASE_METHOD(Fixture,
                 "a limit that comes by a reload is kept on disk; what was sent without one counts after a start, too")
{
    TempDirectory directory;
    LimiterOptions unlimited;
    unlimited.per_minute = std::nullopt;
    unlimited.log_path = directory.path() + "/requests";
    open(unlimited);
    clock.run(spend(1000));
    SECTION("a start with a limit")
    {
        open(options_of(10, 8, unlimited.log_path));
        CHECK(time_to_acquire(Purpose::full) >= Duration(60s));
    }
    SECTION("a reload, then a start")
    {
        limiter->reconfigure(options_of(10, 8, unlimited.log_path));
        CHECK(time_to_acquire(Purpose::full) >= Duration(60s));
        clock.run(spend(7));
        open(options_of(10, 8, unlimited.log_path));
        CHECK(limiter->status().used == 8);
    }
    SECTION("a pause")
    {
        AnswerFacts facts;
        facts.status = 429;
        facts.retry_after = 300s;
        clock.run(answered(facts));
        open(unlimited);
        CHECK(limiter->status().paused_until == clock.now() + 300s);
    }
}

TEST_CASE_METHOD(Fixture, "who comes from another limiter brings along what that one counts, as far as the limit goes")
{
    struct Row {
        std::optional<std::uint32_t> limit;  // of the one that is left
        int sent_there;
        int sent_here;
        std::uint32_t used;
    };
    const auto row = GENERATE(values<Row>({{10, 4, 3, 7}, {10, 9, 8, 10}, {10, 0, 3, 3}, {std::nullopt, 200, 0, 90}}));
    auto options = options_of(100, 8);
    options.per_minute = row.limit;
    open(options);
    clock.run(spend(row.sent_there));
    auto left = std::move(limiter);
    open(options_of(row.limit ? 10 : 100, 8));
    clock.run(spend(row.sent_here));
    limiter->take_over(*left);
    CHECK(limiter->status().used == row.used);
    clock.advance_by(61s);
    limiter->take_over(*left);
    CHECK(limiter->status().used == (row.limit ? 0 : row.used));
}

TEST_CASE_METHOD(Fixture, "who has many requests in line gets no more of a class than who has one")
{
    open(options_of(60, 8));
    std::vector<Flow> flows(6);
    std::vector<int> served(flows.size());
    const auto work_on = [&](std::size_t one) -> asio::awaitable<void> {
        for (;;) {
            const auto permit = co_await limiter->acquire(Purpose::full, &flows[one]);
            ++served[one];
            co_await clock.sleep_for(300ms);
        }
    };
    for (std::size_t one = 0; one < flows.size(); ++one) {
        const int in_line = one == 0 ? 1 : 8;
        for (int place = 0; place < in_line; ++place) {
            tasks.spawn(work_on(one));
        }
    }
    clock.advance_by(1h);
    const auto all = std::accumulate(served.begin(), served.end(), 0);
    CHECK(all > 3000);
    for (const auto count : served) {
        INFO(count << " of " << all);
        CHECK(count * 10 > all);
        CHECK(count * 5 < all);
    }
    stop();
}

TEST_CASE_METHOD(Fixture, "a limit that the service narrowed holds after a restart too, until it says otherwise")
{
    const TempDirectory directory;
    const auto options = options_of(100, 8, directory / "log");
    open(options);
    AnswerFacts facts;
    facts.status = 200;
    facts.limit = 60;
    clock.run(answered(facts));
    CHECK(limiter->status().limit == 60);
    open(options);
    CHECK(limiter->status().limit == 60);
    SECTION("for an hour")
    {
        clock.advance_by(61min);
        CHECK(limiter->status().limit == 100);
    }
    SECTION("or until it grants more")
    {
        facts.limit = 80;
        clock.run(answered(facts));
        CHECK(limiter->status().limit == 80);
        facts.limit = 100;
        clock.run(answered(facts));
        open(options);
        CHECK(limiter->status().limit == 100);
    }
    SECTION("in another boot nothing is known of it")
    {
        open(options, "boot-2");
        CHECK(limiter->status().limit == 100);
    }
}

// Time goes on between two looks at it, as it does.
class CreepingClock final : public Clock {
public:
    explicit CreepingClock(SimulatedClock& inner) : inner_(inner) {}
    Instant now() const override { return inner_.now(); }
    BootTime boot_now() const override { return inner_.boot_now() + (crept_ += 1ms); }
    asio::awaitable<void> sleep_until(BootTime at) override { return inner_.sleep_until(at); }

private:
    SimulatedClock& inner_;
    mutable Duration crept_{0};
};

TEST_CASE_METHOD(Fixture, "a slot that comes free while the limiter looks is not missed")
{
    const auto early = GENERATE(range(0, 20));
    CreepingClock creeping(clock);
    auto opened = Limiter::open(options_of(1, 8), creeping, "boot-1");
    REQUIRE(opened);
    limiter = std::move(*opened);
    clock.run(spend(1, Purpose::interactive));
    clock.advance_by(60s + 20ms - early * 1ms);
    clock.run(spend(1, Purpose::interactive));
    CHECK(limiter->status().requests == 2);
    limiter.reset();
}

TEST_CASE_METHOD(Fixture, "a log that cannot be written is told, and the limit holds all the same")
{
    const TempDirectory directory;
    int open_errno = 0;
    Duration waited{0};
    {
        const FullDisk full;
        open(options_of(5, 8, directory / "requests"));
        open_errno = limiter->status().log_errno;
        clock.advance_by(2min);
        clock.run(spend(5));
        waited = time_to_acquire(Purpose::full);
    }
    CHECK(open_errno == EFBIG);
    CHECK(waited >= Duration(60s));
}

TEST_CASE_METHOD(Fixture, "a pipe in the place of the log is refused at once")
{
    const TempDirectory directory;
    const auto pipe = directory / "requests";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const auto opened = Limiter::open(options_of(5, 8, pipe), clock, "boot-1");
    REQUIRE_FALSE(opened);
    CHECK(opened.error().text() == "cannot open the request log " + pipe + ": it is not a regular file");
}

}  // namespace shelfd::budget
