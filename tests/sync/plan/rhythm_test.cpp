#include "sync/plan/rhythm.hpp"

#include "support/catch.hpp"

#include <vector>

using namespace shelfd;
using namespace shelfd::sync;
using namespace std::chrono_literals;

namespace {

const Instant noon = Instant::from_seconds(1'800'000'000);

Rhythm with_full(Duration full)
{
    return Rhythm(schedule::Schedule(15min, 0), schedule::Schedule(full, 0));
}

}  // namespace

TEST_CASE("without a schedule of their own full passes are the ordinary ones")
{
    Rhythm rhythm(schedule::Schedule(15min, 0), std::nullopt);
    rhythm.begin(noon, std::nullopt, std::nullopt, 0);
    CHECK(rhythm.due() <= noon);
    CHECK(rhythm.is_full_due(noon));
    rhythm.passed(PassKind::full, noon, 0);
    CHECK(rhythm.due() == noon + 15min);
    CHECK(rhythm.is_full_due(noon));
}

TEST_CASE("incremental passes go on between full ones, which serve both schedules")
{
    auto rhythm = with_full(24h);
    rhythm.begin(noon, std::nullopt, std::nullopt, 0);
    CHECK(rhythm.is_full_due(noon));
    rhythm.passed(PassKind::full, noon, 0);
    CHECK_FALSE(rhythm.is_full_due(noon + 15min));
    CHECK(rhythm.due() == noon + 15min);
    for (int i = 1; i < 96; ++i) {
        rhythm.passed(PassKind::incremental, noon + i * 15min, 0);
        REQUIRE(rhythm.due() == noon + (i + 1) * 15min);
    }
    CHECK(rhythm.is_full_due(noon + 24h));
    rhythm.passed(PassKind::full, noon + 24h, 0);
    CHECK(rhythm.due() == noon + 24h + 15min);
    CHECK_FALSE(rhythm.is_full_due(noon + 47h));
}

TEST_CASE("a full pass that was due while the daemon was down is caught up, one that is not due waits")
{
    auto rhythm = with_full(24h);
    rhythm.begin(noon, noon - 10min, noon - 30h, 0);
    CHECK(rhythm.is_full_due(noon + 1min));
    auto fresh = with_full(24h);
    fresh.begin(noon, noon - 10min, noon - 2h, 0);
    CHECK_FALSE(fresh.is_full_due(noon + 21h));
    CHECK(fresh.is_full_due(noon + 22h));
}

TEST_CASE("a clock that is set back keeps the distance of both schedules")
{
    auto rhythm = with_full(24h);
    rhythm.begin(noon, std::nullopt, std::nullopt, 0);
    rhythm.passed(PassKind::full, noon, 0);
    const auto back = noon - 48h;
    rhythm.clock_set_back(back, 10min, 0);
    CHECK(rhythm.due() == back + 10min);
    CHECK_FALSE(rhythm.is_full_due(back + 23h));
    CHECK(rhythm.is_full_due(back + 24h));
}

TEST_CASE("a full pass that fails for ever leaves the ordinary ones their turns, and is tried at growing distances")
{
    auto rhythm = with_full(24h);
    rhythm.begin(noon, noon, noon - 24h, 0);
    rhythm.failed(PassKind::incremental, true, noon);
    rhythm.failed(PassKind::full, true, noon);
    CHECK(rhythm.is_full_due(noon));  // it may go on with the pages it has
    for (const auto distance : std::vector<Duration>{15min, 30min, 1h, 2h, 4h, 8h, 16h, 24h, 24h, 24h, 24h, 24h}) {
        rhythm.failed(PassKind::full, true, noon);
        CHECK_FALSE(rhythm.is_full_due(noon + distance - 1s));
        CHECK(rhythm.is_full_due(noon + distance));
    }
    rhythm.passed(PassKind::incremental, noon + 1h, 0);
    CHECK_FALSE(rhythm.is_full_due(noon + 23h));
    rhythm.passed(PassKind::full, noon + 24h, 0);
    rhythm.failed(PassKind::full, true, noon + 48h);
    CHECK(rhythm.is_full_due(noon + 48h));
}

TEST_CASE("a full pass that never gets a page leaves an ordinary one its turn after each try")
{
    auto rhythm = with_full(24h);
    rhythm.begin(noon, noon - 15min, noon - 24h, 0);
    for (auto now = noon; now < noon + 24h; now = now + 20min) {
        REQUIRE(rhythm.is_full_due(now));
        rhythm.failed(PassKind::full, false, now);
        CHECK_FALSE(rhythm.is_full_due(now + 1min));
        CHECK(rhythm.is_due(now + 1min));
        CHECK(rhythm.is_full_due(now + 15min));
        rhythm.passed(PassKind::incremental, now + 1min, 0);
    }
    SECTION("and is not put off further where it waits longer already")
    {
        rhythm.passed(PassKind::full, noon + 24h, 0);
        rhythm.failed(PassKind::full, false, noon + 25h);  // that somebody asked for
        CHECK_FALSE(rhythm.is_full_due(noon + 47h));
        CHECK(rhythm.is_full_due(noon + 48h));
    }
}

TEST_CASE(
    "a full pass that gets no further leaves an ordinary one its turn, and has its own back where that fails, too")
{
    auto rhythm = with_full(24h);
    rhythm.begin(noon, noon - 15min, noon - 24h, 0);
    rhythm.failed(PassKind::full, true, noon);
    rhythm.stuck(noon);
    CHECK(rhythm.is_full_due(noon));  // perhaps that was one outage
    rhythm.stuck(noon);
    CHECK_FALSE(rhythm.is_full_due(noon + 14min));
    CHECK(rhythm.is_due(noon));
    CHECK(rhythm.is_full_due(noon + 15min));
    SECTION("a page that is broken for ever")
    {
        for (auto now = noon + 15min; now < noon + 24h; now = now + 15min) {
            rhythm.passed(PassKind::incremental, now - 1min, 0);
            REQUIRE(rhythm.is_full_due(now));
            rhythm.stuck(now);
            CHECK_FALSE(rhythm.is_full_due(now + 14min));
        }
    }
    SECTION("a service that is away")
    {
        rhythm.failed(PassKind::incremental, false, noon + 1min);
        for (auto now = noon + 1min; now < noon + 24h; now = now + 5min) {
            CHECK(rhythm.is_full_due(now));
            rhythm.stuck(now);
        }
    }
}

TEST_CASE("rounds over windows that fail for ever leave room between them, by no more than their schedule wants")
{
    for (const bool had_pages : {true, false}) {
        INFO(had_pages);
        const auto windows = schedule::Windows::load("2026-01-01", 24h, "UTC");
        REQUIRE(windows);
        Rhythm rhythm(schedule::Schedule(1h, 0),
                      WindowPlan({.windows = *windows, .again = Repetition(24h), .pause = 1h}));
        rhythm.begin(noon, noon, noon, 0);
        std::vector<Duration> distances = {1min, 2min, 4min, 8min, 15min, 15min, 15min};
        if (had_pages) {
            distances = {1min, 2min, 4min, 8min, 16min, 32min, 1h, 1h};
        }
        for (const auto distance : distances) {
            rhythm.round_failed(had_pages, noon);
            CHECK(rhythm.due() == noon + distance);
        }
        rhythm.passed(PassKind::window, noon + 1h, 0);
        CHECK(rhythm.due() == noon + 2h);
        rhythm.round_failed(had_pages, noon + 2h);
        CHECK(rhythm.due() == noon + 2h + 1min);
    }
}

TEST_CASE("where every pass is a full one, none is put off for those before it")
{
    Rhythm rhythm(schedule::Schedule(15min, 0), std::nullopt);
    rhythm.begin(noon, noon, noon, 0);
    const auto due = rhythm.due();
    for (int i = 0; i < 5; ++i) {
        rhythm.failed(PassKind::full, true, noon);
    }
    CHECK(rhythm.due() == due);
}
