#include "sync/plan/window_plan.hpp"

#include "support/catch.hpp"

#include <fmt/core.h>

#include <random>
#include <set>
#include <tuple>
#include <vector>

using namespace shelfd;
using namespace shelfd::sync;
using namespace std::chrono_literals;

namespace {

constexpr auto one_day = 24h;

Instant at(const std::string& text)
{
    return Instant::from_rfc3339(text).value();
}

struct Wanted {
    Duration step = one_day;
    const char* since = "2026-01-01";
    Duration back = 3 * one_day;
    std::optional<Duration> settle = {};
    std::optional<Duration> settle_back = {};
    const char* zone = "UTC";
};

WindowPlan plan(const Wanted& wanted)
{
    auto windows = schedule::Windows::load(wanted.since, wanted.step, wanted.zone);
    REQUIRE(windows);
    WindowPlan::Settings settings{
        .windows = *windows, .back = wanted.back, .again = Repetition(one_day), .pause = 15min};
    if (wanted.settle) {
        settings.settle.emplace(*wanted.settle);
        settings.settle_back = wanted.settle_back;
    }
    return WindowPlan(std::move(settings));
}

WindowPlan plan()
{
    return plan(Wanted());
}

mirror::SliceFacts walked(const schedule::Window& window, Instant as_of, bool proven = true)
{
    mirror::SliceFacts slice;
    slice.first = window.from.seconds();
    slice.past = window.to.seconds();
    slice.as_of = as_of;
    if (proven) {
        slice.proven_as_of = as_of;
    }
    return slice;
}

// All windows up to the one of `now`, proven then.
WindowPlan::Known all_proven(const WindowPlan& plan, Instant now)
{
    WindowPlan::Known known;
    for (std::int64_t number = 0; number <= plan.windows().at(now).number; ++number) {
        known.push_back(walked(plan.windows().window(number), now));
    }
    return known;
}

std::vector<std::int64_t> numbers(const std::vector<WindowChoice>& choices)
{
    std::vector<std::int64_t> found;
    for (const auto& choice : choices) {
        found.push_back(choice.window.number);
    }
    return found;
}

std::optional<WindowChoice> next_of(const WindowPlan& plan, Instant now, const WindowPlan::Known& known)
{
    auto choices = plan.next(now, known, 1);
    return choices.empty() ? std::nullopt : std::optional(std::move(choices.front()));
}

std::string described(const std::optional<WindowChoice>& choice)
{
    constexpr const char* reasons[] = {"recent", "again", "load", "settle", "asked"};
    return choice ? fmt::format("{} {}", reasons[static_cast<std::size_t>(choice->reason)], choice->window.number)
                  : "nothing";
}

}  // namespace

TEST_CASE("windows that ended before settle reaches back are left as they are, unless they were never proven")
{
    const auto days = plan({.settle = 5 * one_day, .settle_back = 7 * one_day});
    const auto now = at("2026-01-10T12:00:00Z");
    auto known = all_proven(days, now);
    for (const auto number : {0, 1, 2}) {
        auto& slice = known[static_cast<std::size_t>(number)];
        slice.as_of = slice.proven_as_of = now - 6 * one_day;
    }
    CHECK(numbers(days.next(now, known, 16)) == std::vector<std::int64_t>{2});
    known.erase(known.begin());
    CHECK(numbers(days.next(now, known, 16)) == std::vector<std::int64_t>{0});
}

TEST_CASE("several windows are chosen together where they are worth a walk for the same reason")
{
    const auto days = plan({.settle = 5 * one_day});
    const auto now = at("2026-01-10T12:00:00Z");
    auto known = all_proven(days, now);
    CHECK(days.next(now, known, 3).empty());
    SECTION("never proven ones, newest first")
    {
        for (const auto number : {7, 5, 4}) {
            known.erase(known.begin() + number);
        }
        CHECK(numbers(days.next(now, known, 16)) == std::vector<std::int64_t>{7, 5, 4});
        CHECK(numbers(days.next(now, known, 2)) == std::vector<std::int64_t>{7, 5});
    }
    SECTION("those that settle, oldest proof first")
    {
        for (const auto number : {0, 1, 2}) {
            auto& slice = known[static_cast<std::size_t>(number)];
            slice.as_of = slice.proven_as_of = now - (6 + number % 2) * one_day;
        }
        CHECK(numbers(days.next(now, known, 16)) == std::vector<std::int64_t>{1, 2, 0});
    }
    SECTION("one that is due again keeps the others back")
    {
        known.erase(known.begin() + 2);
        CHECK(numbers(days.next(now + one_day, known, 16)) == std::vector<std::int64_t>{8, 7});
    }
}

TEST_CASE("an ordinary round walks the window of now, and the one before while it may still get rows")
{
    const auto days = plan();
    const auto noon = at("2026-01-10T12:00:00Z");
    CHECK(numbers(days.recent(noon, {})) == std::vector<std::int64_t>{9});
    auto known = all_proven(days, noon);
    CHECK(numbers(days.recent(noon + 1h, known)) == std::vector<std::int64_t>{9});
    // After midnight the tenth was proven in its middle only.
    const auto night = at("2026-01-11T00:30:00Z");
    CHECK(numbers(days.recent(night, known)) == std::vector<std::int64_t>{10, 9});
    known[9].proven_as_of = night;
    CHECK(numbers(days.recent(night + 1h, known)) == std::vector<std::int64_t>{10, 9});
    known[9].proven_as_of = night + 2h;
    CHECK(numbers(days.recent(night + 3h, known)) == std::vector<std::int64_t>{10});
}

TEST_CASE("what is worth a walk while no round is due comes in this order: again, load, settle")
{
    const auto days = plan({.settle = 5 * one_day});
    const auto now = at("2026-01-10T12:00:00Z");
    auto known = all_proven(days, now);
    CHECK(described(next_of(days, now, known)) == "nothing");
    CHECK(days.next_at(now, known) == now + one_day);
    SECTION("within back, newest first, when a day has passed")
    {
        CHECK(described(next_of(days, now + one_day, known)) == "again 8");
        known[8].proven_as_of = known[8].as_of = now + one_day;
        CHECK(described(next_of(days, now + one_day, known)) == "again 7");
    }
    SECTION("beyond it, the oldest proof first")
    {
        known[2] = walked(days.windows().window(2), now - 6 * one_day);
        known[1] = walked(days.windows().window(1), now - 7 * one_day);
        CHECK(described(next_of(days, now, known)) == "settle 1");
        known[5].proven_as_of.reset();
        known[5].as_of.reset();
        CHECK(described(next_of(days, now, known)) == "load 5");
        known[7] = walked(days.windows().window(7), now - one_day);
        CHECK(described(next_of(days, now, known)) == "again 7");
    }
    SECTION("without settle, never")
    {
        CHECK(described(next_of(plan(), at("2027-01-10T12:00:00Z"), {})) == "load 373");
        auto old = all_proven(plan(), now);
        old[9].proven_as_of = at("2026-01-11T12:00:00Z");
        const auto later = at("2026-01-20T12:00:00Z");
        for (std::int64_t number = 10; number <= plan().windows().at(later).number; ++number) {
            old.push_back(walked(plan().windows().window(number), later));
        }
        CHECK_FALSE(next_of(plan(), later, old));
    }
}

TEST_CASE("a first load goes backwards, one window after the other, and each is asked for once")
{
    const auto days = plan({.since = "2025-01-01", .back = one_day, .zone = "Europe/Brussels"});
    const auto now = at("2026-06-10T12:00:00Z");
    WindowPlan::Known known;
    known.push_back(walked(days.windows().at(now), now));
    std::set<std::int64_t> seen;
    auto before = days.windows().at(now).number;
    while (const auto choice = next_of(days, now, known)) {
        REQUIRE(choice->reason == WindowReason::load);
        REQUIRE(choice->window.number == before - 1);
        before = choice->window.number;
        known.insert(known.begin(), walked(choice->window, now));
    }
    CHECK(before == 0);
    const auto complete = mirror::complete_range(known);
    CHECK(complete.from == at("2024-12-31T23:00:00Z"));
    CHECK(complete.to == now);
}

TEST_CASE("windows that are due again and a first load take turns, however long the walks of the former take")
{
    auto days = plan({.back = 30 * one_day});
    auto now = at("2026-01-20T12:00:00Z");
    WindowPlan::Known known;
    for (std::int64_t number = 10; number < 20; ++number) {
        known.push_back(walked(days.windows().window(number), number < 15 ? at("2026-01-17T12:00:00Z") : now));
    }
    const auto were_walked = [&](std::initializer_list<std::int64_t> numbers) {
        std::vector<Instant> begins;
        for (const auto number : numbers) {
            begins.push_back(days.windows().window(number).from);
        }
        days.walked(begins, now, known);
    };
    CHECK(numbers(days.next(now, known, 3)) == std::vector<std::int64_t>{14, 13, 12});
    SECTION("after windows that were due again, older ones are loaded")
    {
        were_walked({14, 13, 12});
        CHECK(numbers(days.next(now, known, 3)) == std::vector<std::int64_t>{9, 8, 7});
        // Rounds are no turn: neither the current window, nor one that may still get rows.
        known[8].proven_as_of = days.windows().window(18).to + 1min;
        were_walked({18, 19});
        were_walked({});
        CHECK(described(next_of(days, now, known)) == "load 9");
        were_walked({9});
        CHECK(described(next_of(days, now, known)) == "again 14");
    }
    SECTION("unless there are none")
    {
        for (std::int64_t number = 9; number >= 0; --number) {
            known.insert(known.begin(), walked(days.windows().window(number), now));
        }
        were_walked({14});
        CHECK(described(next_of(days, now, known)) == "again 14");
    }
    SECTION("or they failed and have to wait")
    {
        for (std::int64_t number = 0; number < 10; ++number) {
            days.failed(days.windows().window(number).from, true, now);
        }
        were_walked({14});
        CHECK(described(next_of(days, now, known)) == "again 14");
    }
    SECTION("until all are loaded")
    {
        // Nine windows take longer than a day.
        int walks = 0;
        while (known.front().first > days.windows().since().seconds() && walks < 40) {
            const auto choice = next_of(days, now, known);
            REQUIRE(choice);
            were_walked({choice->window.number});
            std::erase_if(known, [&](const auto& slice) { return slice.first == choice->window.from.seconds(); });
            known.push_back(walked(choice->window, now));
            std::sort(known.begin(), known.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
            now = now + 3h;
            ++walks;
        }
        CHECK(walks < 40);
    }
}

TEST_CASE("a ledger is behind when a window within back missed three of its turns, and not for an older one")
{
    const auto days = plan({.settle = 5 * one_day});
    const auto now = at("2026-01-10T12:00:00Z");
    auto known = all_proven(days, now);
    CHECK_FALSE(days.is_behind(now, known));
    for (const std::size_t number : {0U, 4U, 5U}) {
        known[number].proven_as_of = now - 30 * one_day;
    }
    CHECK_FALSE(days.is_behind(now, known));  // those are long past
    known[6].proven_as_of.reset();            // was never loaded, which is said elsewhere
    CHECK_FALSE(days.is_behind(now, known));
    known[6].proven_as_of = days.windows().window(6).to + 3h;
    CHECK_FALSE(days.is_behind(known[6].proven_as_of.value() + 3 * one_day - 3h - 1s, known));
    CHECK(plan({.back = 5 * one_day}).is_behind(*known[6].proven_as_of + 3 * one_day + 1s, known));
}

TEST_CASE("a window whose rows wait for a second witness is walked again after a pause, however old it is")
{
    const auto days = plan();
    const auto now = at("2026-01-10T12:00:00Z");
    auto known = all_proven(days, now);
    const std::size_t number = GENERATE(1U, 8U);  // long past, and within `back`
    known[number].why = "rows wait for a second piece of evidence";
    CHECK(days.next_at(now, known) == now + 15min);
    CHECK_FALSE(next_of(days, now + 14min, known));
    CHECK(described(next_of(days, now + 15min, known)) == fmt::format("again {}", number));
    known[number].as_of = now + 300 * one_day;  // by a clock that was wrong
    CHECK(described(next_of(days, now, known)) == fmt::format("again {}", number));
}

TEST_CASE("all that comes is asked for when a row left its window, once, and again when one leaves later")
{
    auto plan = ::plan();
    const auto now = at("2026-03-01T12:00:00Z");
    auto known = all_proven(plan, now - 1h);
    CHECK(plan.next(now, known, 5).empty());
    CHECK(plan.next_at(now, known).value_or(now + 1h) > now);
    plan.rows_left(true);
    const auto choices = plan.next(now, known, 5);
    REQUIRE(choices.size() == 1);
    CHECK(choices[0].reason == WindowReason::seek);
    CHECK(choices[0].window.from == at("2026-03-02T00:00:00Z"));
    CHECK(choices[0].window.to.seconds() == mirror::behind_all);
    CHECK_FALSE(choices[0].is_plain);
    CHECK(plan.next_at(now, known) == now);
    // It was refused: not again before a pause, which grows, and then in one request without an order of ours.
    auto refused = plan;
    refused.failed(choices[0].window.from, true, now);
    CHECK(refused.next(now + 1min, known, 5).empty());
    const auto retried = refused.next(now + 15min, known, 5);
    REQUIRE(retried.size() == 1);
    CHECK(retried[0].is_plain);
    refused.failed(choices[0].window.from, true, now + 15min);
    CHECK(refused.next(now + 30min, known, 5).empty());
    // It was walked, and proven.
    known.push_back(walked(choices[0].window, now));
    known.back().key_set = "keys";
    CHECK(plan.next(now + 1h, known, 5).empty());
    CHECK(plan.recent(now + 1h, known).size() == 1);
    // Two days later, what was walked then still counts, and the days that have begun are walked as ever.
    const auto later = now + 2 * one_day;
    const auto recent = plan.recent(later, known);
    CHECK(numbers(recent) == std::vector<std::int64_t>{61, 60, 59});
    for (const auto& choice : plan.next(later, known, 50)) {
        CHECK(choice.window.to.seconds() != mirror::behind_all);
    }
    known.back().sought = true;
    const auto again = plan.next(now + 1h, known, 5);
    REQUIRE(again.size() == 1);
    CHECK(again[0].window == choices[0].window);
    // A row was told to be there: nobody has to leave for that.
    known.back().sought = false;
    known.back().proven_as_of = known.back().as_of = std::nullopt;
    plan.rows_left(false);
    CHECK(plan.next(now + 1h, known, 5).size() == 1);
    known.back().key_set.clear();  // it was refused, and nothing is sought any more
    CHECK(plan.next(now + 1h, known, 5).empty());
}

TEST_CASE("a window in which a row is sought is walked again while nothing else is, once in a while and however old")
{
    const auto plan = ::plan();
    const auto now = at("2026-03-01T12:00:00Z");
    auto known = all_proven(plan, now - 1h);
    known[3].sought = known[7].sought = true;
    CHECK(numbers(plan.next(now, known, 5)) == std::vector<std::int64_t>{7, 3});
    CHECK(plan.next(now, known, 5)[0].reason == WindowReason::seek);
    CHECK(plan.next_at(now, known) == now);
    // What else is worth a walk goes first.
    known[20].proven_as_of.reset();
    CHECK(numbers(plan.next(now, known, 5)) == std::vector<std::int64_t>{20});
    known[20].proven_as_of = now - 1h;
    // Sixty windows are a tour of sixty requests: not again before six minutes are over, nor before the pause is.
    known[3].proven_as_of = known[3].as_of = now - 14min;
    CHECK(numbers(plan.next(now, known, 5)) == std::vector<std::int64_t>{7});
    known[7].sought = false;
    CHECK(plan.next_at(now, known) == now + 1min);
}

TEST_CASE("where rows of a wider window of another step wait, each window in it is walked again once")
{
    const auto days = plan();
    const auto weeks = plan({.step = 7 * one_day});
    const auto now = at("2026-01-16T12:00:00Z");
    auto known = all_proven(weeks, now);
    known[0].why = "rows wait for a second piece of evidence";
    for (int number = 6; number >= 0; --number) {
        REQUIRE(described(next_of(days, now + 15min, known)) == fmt::format("again {}", number));
        known.push_back(walked(days.windows().window(number), now + 15min));
        std::sort(known.begin(), known.end(),
                  [](const auto& a, const auto& b) { return std::tie(a.first, a.past) < std::tie(b.first, b.past); });
    }
    CHECK_FALSE(next_of(days, now + 1h, known));
}

TEST_CASE("what was walked for a planned time is not due for it again, though the service's clock is behind")
{
    const auto windows = schedule::Windows::load("2026-01-01", one_day, "UTC");
    auto times = schedule::PlannedTimes::load({3h + 30min}, Weekdays().set(), "UTC");
    REQUIRE(windows);
    REQUIRE(times);
    const WindowPlan days({.windows = *windows, .back = 3 * one_day, .again = Repetition(*times), .pause = 15min});
    const auto planned = at("2026-01-10T03:30:00Z");
    auto known = all_proven(days, planned - 2min);
    CHECK(described(next_of(days, planned, known)) == "again 8");
    for (auto& slice : known) {
        slice.asked_at = planned;
    }
    CHECK_FALSE(next_of(days, planned, known));
    CHECK(days.next_at(planned, known) == planned + one_day);
    SECTION("a walk that proved nothing counts for none")
    {
        known[8].as_of = planned - 1min;
        CHECK(described(next_of(days, planned + 1h, known)) == "again 8");
    }
    SECTION("nor does one by a clock that was wrong")
    {
        known[8].asked_at = planned + 300 * one_day;
        CHECK(described(next_of(days, planned + 1h, known)) == "again 8");
    }
}

TEST_CASE("a walk that proved nothing is tried again after a pause, and holds up nobody")
{
    const auto days = plan();
    const auto now = at("2026-01-10T12:00:00Z");
    auto known = all_proven(days, now);
    known[4] = walked(days.windows().window(4), now, false);
    known[3].proven_as_of.reset();
    known[3].as_of.reset();
    CHECK(described(next_of(days, now, known)) == "load 3");
    known[3] = walked(days.windows().window(3), now);
    CHECK_FALSE(next_of(days, now, known));
    CHECK(days.next_at(now, known) == now + 15min);
    CHECK(described(next_of(days, now + 15min, known)) == "load 4");
    known[4].as_of = now + 300 * one_day;  // by a clock that was wrong
    CHECK(described(next_of(days, now, known)) == "load 4");
}

TEST_CASE("a window that fails holds up no other, and is tried at growing distances while pages of it arrive")
{
    auto days = plan();
    const auto now = at("2026-01-10T12:00:00Z");
    auto known = all_proven(days, now);
    for (const auto number : {3, 4}) {
        known[static_cast<std::size_t>(number)].proven_as_of.reset();
        known[static_cast<std::size_t>(number)].as_of.reset();
    }
    const auto begin = days.windows().window(4).from;
    REQUIRE(described(next_of(days, now, known)) == "load 4");
    for (const auto pause : {15min, 15min}) {  // without a page it may be the service that is away
        days.failed(begin, false, now);
        CHECK(described(next_of(days, now, known)) == "load 3");
        CHECK(described(next_of(days, now + pause, known)) == "load 4");
    }
    for (const Duration pause : std::vector<Duration>{15min, 30min, 1h, 2h, 4h, 8h, 16h}) {
        days.failed(begin, true, now);
        CHECK(described(next_of(days, now + pause - 1s, known)) == "load 3");
        CHECK(described(next_of(days, now + pause, known)) == "load 4");
    }
    known[3] = walked(days.windows().window(3), now);
    CHECK_FALSE(next_of(days, now, known));
    CHECK(days.next_at(now, known) == now + 16h);
    CHECK(described(next_of(days, now - 1h, known)) == "load 4");  // the failure lies in the future: a clock was wrong
    known[4] = walked(days.windows().window(4), now + 1s);
    CHECK_FALSE(next_of(days, now + 1h, known));
}

TEST_CASE("a round comes to the windows that failed when it has walked all others, the longest untried first")
{
    auto days = plan();
    const auto noon = at("2026-01-10T12:00:00Z");
    const auto night = at("2026-01-11T00:30:00Z");
    auto known = all_proven(days, noon);
    known[8].proven_as_of = known[8].as_of = noon - 24h;
    const auto begin = [&](std::int64_t number) { return days.windows().window(number).from; };
    using Numbers = std::vector<std::int64_t>;
    CHECK(numbers(days.recent(night, known)) == Numbers{10, 9, 8});
    days.failed(begin(10), true, night);
    CHECK(numbers(days.recent(night + 1min, known)) == Numbers{9, 8, 10});
    days.failed(begin(9), true, night + 1min);
    CHECK(numbers(days.recent(night + 2min, known)) == Numbers{8, 10, 9});
    days.failed(begin(10), true, night + 2min);
    CHECK(numbers(days.recent(night + 3min, known)) == Numbers{8, 9, 10});
    CHECK(numbers(days.recent(night + 1min, known)) == Numbers{10, 8, 9});  // a failure to come: a clock was wrong
    known.push_back(walked(days.windows().window(10), night + 3min));
    CHECK(numbers(days.recent(night + 4min, known)) == Numbers{10, 8, 9});
}

TEST_CASE("another step needs no new load: what was proven counts wherever it lies")
{
    const auto now = at("2026-01-15T12:00:00Z");
    const auto proven = at("2026-01-15T10:00:00Z");
    const auto days = plan({.back = one_day});
    const auto weeks = plan({.step = 7 * one_day, .back = one_day});
    SECTION("days become weeks")
    {
        auto known = all_proven(days, proven);
        CHECK_FALSE(next_of(weeks, now, known));
        known.erase(known.begin() + 3);
        CHECK(described(next_of(weeks, now, known)) == "load 0");
    }
    SECTION("weeks become days")
    {
        const auto known = all_proven(weeks, proven);
        CHECK_FALSE(next_of(days, now, known));
        CHECK(numbers(days.recent(now, known)) == std::vector<std::int64_t>{14});
    }
}

TEST_CASE("whatever happened before, all windows end up proven, and no window is walked without need")
{
    const auto zone = GENERATE("UTC", "Europe/Brussels", "America/St_Johns", "Pacific/Apia");
    for (unsigned seed = 1; seed <= 30; ++seed) {
        INFO(zone << " " << seed);
        std::mt19937 random(seed);
        const Duration step = (1 + random() % 9) * one_day;
        const auto steps = plan({.step = step, .since = "2011-11-20", .back = 5 * one_day, .zone = zone});
        auto now = at("2011-12-29T12:00:00Z") + Duration(1h) * static_cast<int>(random() % 100);
        WindowPlan::Known known;
        for (std::int64_t number = 0; number < steps.windows().at(now).number; ++number) {
            if (random() % 3 != 0 && !steps.windows().window(number).is_empty()) {
                known.push_back(walked(steps.windows().window(number),
                                       now - Duration(1h) * static_cast<int>(random() % 200), random() % 4 != 0));
            }
        }
        const auto put = [&](const WindowChoice& choice) {
            std::erase_if(known, [&](const auto& slice) {
                return slice.first >= choice.window.from.seconds() && slice.past <= choice.window.to.seconds();
            });
            known.push_back(walked(choice.window, now));
            std::sort(known.begin(), known.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        };
        for (const auto& choice : steps.recent(now, known)) {
            put(choice);
        }
        int walks = 0;
        while (walks < 200) {
            const auto next = steps.next_at(now, known);
            if (!next || *next > now + 20min) {
                break;
            }
            now = std::max(now, *next);
            const auto choice = next_of(steps, now, known);
            REQUIRE(choice);
            put(*choice);
            ++walks;
        }
        CHECK(walks <= steps.windows().at(now).number);
        CHECK(mirror::complete_range(known).from == steps.windows().since());
    }
}

TEST_CASE("a stretch that somebody names is walked whole, up to now")
{
    const auto days = plan();
    const auto now = at("2026-01-10T12:00:00Z");
    CHECK(numbers(days.between(at("2026-01-03T00:00:00Z"), at("2026-01-05T00:00:00Z"), now, {})) ==
          std::vector<std::int64_t>{3, 2});
    CHECK(numbers(days.between(at("2026-01-09T06:00:00Z"), at("2027-01-05T00:00:00Z"), now, {})) ==
          std::vector<std::int64_t>{9, 8});
    CHECK(days.between(at("2025-01-03T00:00:00Z"), at("2025-01-05T00:00:00Z"), now, {}).empty());
}
