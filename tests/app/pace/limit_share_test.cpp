#include "app/pace/limit_share.hpp"

#include "app/pace/limits.hpp"
#include "support/catch.hpp"

namespace shelfd::app {
namespace {

using namespace std::chrono_literals;
using budget::Purpose;
using Stage = SharingWalk::Stage;

SharingWalk running(std::optional<std::uint64_t> requests, Purpose purpose = Purpose::full)
{
    SharingWalk walk;
    walk.requests = requests;
    walk.purpose = purpose;
    walk.begins = noon;
    return walk;
}

SharingWalk due(Duration after, std::optional<std::uint64_t> requests, Purpose purpose = Purpose::full)
{
    auto walk = running(requests, purpose);
    walk.stage = Stage::due;
    walk.begins = noon + after;
    return walk;
}

// In whole seconds.
std::int64_t seconds(std::uint64_t own, const std::vector<SharingWalk>& others, const budget::LimiterStatus& limiter,
                     Instant now = noon)
{
    return std::chrono::round<std::chrono::seconds>(time_at_limit({own}, others, limiter, now)).count();
}

TEST_CASE("the time at the limit counts what may begin at once, and the requests of walks that take turns")
{
    CHECK(seconds(50, {}, limit_of(100)) == 0);
    CHECK(seconds(50, {}, limit_of(100, 80)) == 18);  // 30 of them later, 100 a minute
    CHECK(seconds(650, {}, limit_of(100)) == 330);
    // Of another walk, as many requests come before as this one has.
    CHECK(seconds(100, {running(5'000)}, limit_of(100)) == 60);
    CHECK(seconds(100, {running(std::nullopt)}, limit_of(100)) == 60);
    CHECK(seconds(100, {running(20)}, limit_of(100)) == 12);
    CHECK(time_at_limit({100}, {}, budget::LimiterStatus(), noon) == Duration(0));
}

TEST_CASE("details take slots from a walk that sends one request after the other, as many as they send at a time")
{
    auto details = running(110, Purpose::detail);
    details.at_once = 6;
    const auto left = [](bool is_one_by_one, const std::vector<SharingWalk>& others, budget::LimiterStatus limiter) {
        const MeasuredWalk own{12, nullptr, Purpose::full, is_one_by_one};
        return std::chrono::round<std::chrono::seconds>(time_at_limit(own, others, limiter, noon)).count();
    };
    auto limiter = limit_of(20, 20);
    CHECK(left(true, {}, limiter) == 36);
    CHECK(left(false, {details}, limiter) == 36);  // it waits in line with all of its requests
    CHECK(left(true, {details}, limiter) == 7 * 36);
    CHECK(left(true, {details, details}, limiter) == 7 * 36);
    details.requests = 12;
    CHECK(left(true, {details}, limiter) == 2 * 36);
    details.stage = Stage::due;
    CHECK(left(true, {details}, limiter) == 36);
    limiter.next_slot = noon + 52s;
    CHECK(left(true, {}, limiter) == 52);
}

TEST_CASE("a pause and other programs make it longer, and what is in flight has its slot")
{
    auto limiter = limit_of(100);
    limiter.paused_until = noon + 1h;
    CHECK(seconds(50, {}, limiter) == 3'600);
    limiter = limit_of(100);
    limiter.foreign = 40;
    CHECK(seconds(120, {}, limiter) == 60);
    limiter.foreign = 100;  // one request is left to us at least
    CHECK(seconds(2, {}, limiter) == 60);
    limiter = limit_of(100, 100);
    limiter.in_flight = 8;
    CHECK(seconds(108, {}, limiter) == 60);
}

TEST_CASE("what waits for a limit that was used up at once takes at least until the next request starts")
{
    auto spent = limit_of(20, 20);
    spent.next_slot = noon + 52s;
    CHECK(seconds(1, {}, spent) == 52);
    CHECK(seconds(12, {}, spent) == 52);  // all of them begin then
    CHECK(seconds(40, {}, spent) == 120);
    CHECK(seconds(12, {running(5)}, spent) == 52);
    CHECK(seconds(12, {due(10s, 5, Purpose::incremental)}, spent) == 52);
    // One after the other, as they were sent.
    spent.next_slot = noon + 3s;
    CHECK(seconds(12, {}, spent) == 36);
}

TEST_CASE("more urgent walks go first as a whole, and less urgent ones not at all")
{
    const auto full = limit_of(100, 100);
    CHECK(seconds(100, {running(400, Purpose::incremental)}, full) == 300);
    CHECK(seconds(100, {running(400, Purpose::rolling)}, full) == 60);
    MeasuredWalk details{100, nullptr, Purpose::detail};
    CHECK(time_at_limit(details, {running(300)}, full, noon) == Duration(4min));
}

TEST_CASE("a walk that begins before the end counts from then on, and a later one not at all")
{
    const auto full = limit_of(60, 60);  // one a second
    CHECK(seconds(120, {due(5min, 600)}, full) == 120);
    // Sixty alone, then by turns.
    CHECK(seconds(120, {due(60s, 600)}, full) == 180);
    CHECK(seconds(120, {due(60s, 10)}, full) == 130);
    CHECK(seconds(120, {due(60s, std::nullopt)}, full) == 180);
    // At the very end it changes next to nothing.
    CHECK(seconds(120, {due(119s, 600)}, full) == 121);
    auto poll = due(10s, 2, Purpose::incremental);
    poll.every = 10s;
    CHECK(seconds(80, {poll}, full) == 98);
}

TEST_CASE("a walk that waits for its turn begins when another one of its library ends")
{
    const auto full = limit_of(60, 60);
    const int antwerp = 0;
    const int ghent = 0;
    auto first = running(10);
    first.library = &antwerp;
    auto second = running(600);
    second.stage = Stage::queued;
    second.library = &antwerp;
    CHECK(seconds(60, {first}, full) == 70);
    CHECK(seconds(60, {first, second}, full) == 120);
    second.library = &ghent;
    CHECK(seconds(60, {first, second}, full) == 70);
}

TEST_CASE("of one library only so many walks go on at once")
{
    const auto full = limit_of(60, 60);
    std::vector<SharingWalk> others(8, due(10s, 600));
    // With two others, from the tenth request on.
    CHECK(seconds(60, others, full) == 160);
    const std::vector<int> libraries(8);
    for (std::size_t i = 0; i < others.size(); ++i) {
        others[i].library = &libraries[i];
    }
    CHECK(seconds(60, others, full) == 460);
}

TEST_CASE("a flood of more urgent requests ends the count, not the daemon")
{
    auto flood = due(1s, 100, Purpose::incremental);
    flood.every = 1s;
    CHECK(seconds(120, {flood}, limit_of(60, 60)) > 3'600);
}

// One request a second by turns, in the model of the limiter: the end must not move away.
TEST_CASE("the end stays where it is when the walk that was expected begins")
{
    auto limiter = limit_of(60, 60);
    double own = 120;
    double other = 90;
    std::optional<Duration> before;
    for (int second = 0; second < 180 && own > 0; ++second) {
        const auto now = noon + std::chrono::seconds(second);
        limiter.next_slot = now + 1s;
        const bool has_begun = second >= 45;
        const auto walk = has_begun ? running(static_cast<std::uint64_t>(other + 0.5)) : due(45s, 90);
        const auto left = time_at_limit({static_cast<std::uint64_t>(own + 0.5)}, {walk}, limiter, now);
        INFO(second);
        CHECK(left <= before.value_or(Duration(1h)) - Duration(1s) + Duration(2s));
        before = left;
        own -= has_begun && other > 0 ? 0.5 : 1;
        other -= has_begun ? 0.5 : 0;
    }
}

}  // namespace
}  // namespace shelfd::app
