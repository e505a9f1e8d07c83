#include "app/report/progress_report.hpp"

#include "app/library_bench.hpp"
#include "app/pace/limit_share.hpp"
#include "app/pace/limits.hpp"
#include "app/pace/sharing_walks.hpp"
#include "app/report/budget_report.hpp"
#include "app/report/status_report.hpp"
#include "support/catch.hpp"

namespace shelfd::app {
namespace {

using namespace std::chrono_literals;

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
    lists.phase = sync::Phase::publishing;
    CHECK(requests_left(lists) == 36);
    auto publishing = walking(12, 12);
    publishing.phase = sync::Phase::publishing;
    CHECK(requests_left(publishing) == 0);
    sync::Progress details;
    details.running = true;
    details.phase = sync::Phase::details;
    details.rows = 10;
    details.count = 700;
    CHECK(requests_left(details) == 690);
    details.running = false;
    CHECK(requests_left(details) == 0);
}

// What a pass sees that has to wait for the limit.
std::shared_ptr<const budget::FlowWait> waiting_since(Instant since, Duration ended = Duration(0))
{
    auto wait = std::make_shared<budget::FlowWait>();
    wait->requests = 1;
    wait->since = since;
    wait->ended = ended;
    return wait;
}

TEST_CASE("while the limit decides, the time left never grows")
{
    // Four requests a minute, twelve pages: four at once, then none for a minute, and so on.
    auto limiter = limit_of(4);
    std::optional<Duration> before;
    for (int second = 0; second < 120; ++second) {
        const auto now = noon + std::chrono::seconds(second);
        const bool is_first = second < 60;
        const std::uint32_t sent = is_first ? 4 : 8;
        auto progress = walking(sent + 1, 12);
        progress.started = noon;
        progress.rows = sent * 25U;
        progress.count = 300;
        progress.worked = 2s;
        progress.wait = waiting_since(noon + (is_first ? 0s : 60s), is_first ? 0s : 58s);
        limiter.used = 4;
        limiter.next_slot = noon + (is_first ? 60s : 120s);
        const auto left = time_left(progress, time_at_limit({12 - sent}, {}, limiter, now), limiter, now);
        REQUIRE(left);
        CHECK(*left <= before.value_or(Duration(2min)));
        CHECK(*left >= (is_first ? 1min : 0s));
        before = left;
    }
    CHECK(*before < Duration(1min));
}

TEST_CASE("the pace of a slow service counts down between its pages, and stands still while the limit is used up")
{
    auto progress = walking(11, 100);
    progress.started = noon;
    progress.rows = 250;
    progress.count = 2'500;
    progress.worked = 50s;
    const auto left_at = [&progress](Duration after) {
        return time_left(progress, Duration(0), limit_of(100, 10), noon + after).value_or(Duration(0));
    };
    CHECK(left_at(50s) == Duration(450s));
    CHECK(left_at(54s) == Duration(446s));
    progress.wait = waiting_since(noon + 54s);
    CHECK(left_at(54s) == Duration(446s));
    CHECK(left_at(80s) == Duration(446s));
    // What was waited does not count as the service's pace.
    progress.rows = 275;
    progress.worked = progress.worked_until(noon + 81s);
    CHECK(progress.worked == Duration(54s));
    CHECK(left_at(81s) < Duration(446s));
    auto lists = walking(1, 1);
    lists.started = lists.round_started = noon;
    lists.list = 11;
    lists.lists = 40;
    lists.round_worked = 100s;
    CHECK(time_left(lists, Duration(0), limit_of(100), noon + 100s) == Duration(300s));
    CHECK(time_left(lists, Duration(0), limit_of(100), noon + 105s) == Duration(295s));
}

TEST_CASE("a limit says what is in force, who narrowed it, and what is configured")
{
    auto limiter = limit_of(100);
    CHECK(describe_limit(limiter) == "100 requests a minute");
    limiter.limit = 60;
    limiter.narrowing = budget::Narrowing::named;
    CHECK(describe_limit(limiter) ==
          "60 requests a minute: the answers of the service name this limit; 100 are configured");
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
