#include "app/report/progress_report.hpp"

#include "app/library_bench.hpp"
#include "app/report/budget_report.hpp"
#include "app/report/status_report.hpp"
#include "support/catch.hpp"

namespace shelfd::app {
namespace {

using namespace std::chrono_literals;

const Instant noon = Instant::from_rfc3339("2024-01-06T12:00:00Z").value();

budget::LimiterStatus limit_of(std::uint32_t most, std::uint32_t used = 0)
{
    budget::LimiterStatus limiter;
    limiter.limit = limiter.configured = most;
    limiter.used = used;
    return limiter;
}

sync::Progress walking(std::uint32_t page, std::uint32_t pages)
{
    sync::Progress progress;
    progress.running = true;
    progress.phase = sync::Phase::pages;
    progress.page = page;
    progress.pages = pages;
    return progress;
}

TEST_CASE("a pass has left what it has not requested: pages, lists or items")
{
    CHECK(requests_left(walking(3, 12)) == 10);
    CHECK(requests_left(walking(0, 0)) == 0);
    CHECK(requests_left(walking(13, 12)) == 0);  // page 1 again
    auto lists = walking(1, 1);
    lists.list = 4;
    lists.lists = 40;
    CHECK(requests_left(lists) == 37);
    sync::Progress details;
    details.running = true;
    details.phase = sync::Phase::details;
    details.rows = 10;
    details.count = 700;
    CHECK(requests_left(details) == 690);
    details.running = false;
    CHECK(requests_left(details) == 0);
}

TEST_CASE("the time at the limit counts what may begin at once, and the requests of other passes that take turns")
{
    CHECK(time_at_limit(50, {50}, limit_of(100), noon) == Duration(0));
    CHECK(time_at_limit(50, {50}, limit_of(100, 80), noon) == Duration(18s));  // 30 of them later, 100 a minute
    CHECK(time_at_limit(650, {650}, limit_of(100), noon) == Duration(5min + 30s));
    // Of another pass, as many requests come before as this one has.
    CHECK(time_at_limit(100, {100, 5'000}, limit_of(100), noon) == Duration(1min));
    CHECK(time_at_limit(100, {100, 20}, limit_of(100), noon) == Duration(12s));
    CHECK(time_at_limit(100, {100}, budget::LimiterStatus(), noon) == Duration(0));
}

TEST_CASE("a pause and other programs make it longer")
{
    auto limiter = limit_of(100);
    limiter.paused_until = noon + 1h;
    CHECK(time_at_limit(50, {50}, limiter, noon) == Duration(1h));
    limiter = limit_of(100);
    limiter.foreign = 40;
    CHECK(time_at_limit(120, {120}, limiter, noon) == Duration(1min));
    limiter.foreign = 100;  // one request is left to us at least
    CHECK(time_at_limit(2, {2}, limiter, noon) == Duration(1min));
}

TEST_CASE("while the limit decides, the time left never grows")
{
    // Four requests a minute, twelve pages: four at once, then none for a minute, and so on.
    auto limiter = limit_of(4);
    std::optional<Duration> before;
    for (int second = 0; second < 120; ++second) {
        const auto now = noon + std::chrono::seconds(second);
        const std::uint32_t sent = second < 60 ? 4 : 8;
        auto progress = walking(sent + 1, 12);
        progress.started = noon;
        progress.rows = sent * 25U;
        progress.count = 300;
        limiter.used = 4;
        limiter.next_slot = noon + (second < 60 ? 60s : 120s);
        const auto left = time_left(progress, time_at_limit(12 - sent, {12 - sent}, limiter, now), limiter, now);
        REQUIRE(left);
        CHECK(*left <= before.value_or(Duration(2min)));
        CHECK(*left >= (second < 60 ? 1min : 0s));
        before = left;
    }
    CHECK(*before < Duration(1min));
}

TEST_CASE("where the limit has room, the pace of a slow service counts")
{
    auto progress = walking(10, 100);
    progress.started = noon;
    progress.rows = 250;
    progress.count = 2'500;
    const auto left = time_left(progress, Duration(0), limit_of(100, 10), noon + 50s);
    CHECK(left == Duration(450s));
}

TEST_CASE("a limit says what is in force, who narrowed it, and what is configured")
{
    auto limiter = limit_of(100);
    CHECK(describe_limit(limiter) == "100 requests a minute");
    limiter.limit = 60;
    limiter.narrowing = budget::Narrowing::named;
    CHECK(describe_limit(limiter) == "60 requests a minute: the answers of the service name it; 100 are configured");
    // What is left to others is a reason of its own.
    limiter.limit = 1;
    limiter.named = 10;
    limiter.left = 9;
    CHECK(describe_limit(limiter) == "1 request a minute: the answers of the service name 10, and the configuration "
                                     "leaves 9 of them to other programs (leave); 100 are configured");
    limiter.limit = 60;
    limiter.narrowing = budget::Narrowing::learned;
    limiter.narrowed_until = noon;
    CHECK(describe_limit(limiter) ==
          "60 requests a minute: the service refused more (429), so the daemon sends no more "
          "until 2024-01-06T12:00:00Z; 100 are configured");
    CHECK(describe_limit(budget::LimiterStatus()).empty());
}

}  // namespace
}  // namespace shelfd::app
