#include "sync/worker/due_planner.hpp"

#include "support/catch.hpp"
#include "support/simulated_clock.hpp"

#include <optional>
#include <string>
#include <utility>

using namespace shelfd;
using namespace shelfd::sync;
using namespace std::chrono_literals;

namespace {

// A table that is walked every quarter of an hour, and as a whole once a day.
struct Plan {
    explicit Plan(DuePlanner::Lists lists = DuePlanner::Lists::one, const schedule::QuietHours& quiet = {})
        : Plan(lists, rhythm(quiet))
    {
    }
    Plan(DuePlanner::Lists lists, Rhythm made)
        : planner({clock, [] { return 0.0; }, [this] { return backfill_at; }}, std::move(made), lists)
    {
        planner.begin(clock.now(), clock.now());
        planner.plan_by_schedule();
    }

    static Rhythm rhythm(const schedule::QuietHours& quiet)
    {
        Rhythm made(schedule::Schedule(15min, 0), schedule::Schedule(24h, 0));
        made.keep_quiet(quiet);
        return made;
    }

    // A ledger whose current window is walked every quarter of an hour.
    static Rhythm ledger()
    {
        const auto windows = schedule::Windows::load("2026-01-01", 24h, "UTC");
        REQUIRE(windows);
        WindowPlan::Settings settings{.windows = *windows, .back = 24h, .again = Repetition(24h), .pause = 15min};
        return {schedule::Schedule(15min, 0), WindowPlan(std::move(settings))};
    }

    PassReport pass(PassKind kind = PassKind::incremental, Trouble trouble = Trouble::none)
    {
        PassReport report;
        report.kind = kind;
        report.started = clock.now();
        report.trouble = trouble;
        report.pages = 1;
        report.proof.kind = ProofKind::single_page;
        report.spent.add(budget::Reason::page, 1);
        return report;
    }
    PassReport unproven(PassKind kind, const std::string& met)
    {
        auto report = pass(kind);
        report.proof.kind = ProofKind::none;
        report.learned.met = met;
        return report;
    }
    void ends(const PassReport& report, DuePlanner::Pass pass = DuePlanner::Pass::ordinary,
              DuePlanner::WantedBy wanted_by = DuePlanner::WantedBy::schedule)
    {
        planner.pass_begins();
        planner.pass_ended(report, pass, wanted_by);
    }

    boost::asio::io_context loop;
    SimulatedClock clock{loop};
    std::optional<Instant> backfill_at;
    DuePlanner planner;
};

}  // namespace

TEST_CASE("nothing is due in quiet hours: neither by the schedule, nor older windows, nor a try after trouble")
{
    // From ten minutes from now, for two hours.
    const Instant now = Plan().clock.now();
    const auto minute = [now](Duration later) {
        return std::chrono::floor<std::chrono::minutes>(std::chrono::microseconds((now + later).micros())) %
               std::chrono::minutes(24h);
    };
    const auto quiet = schedule::QuietHours::load({{minute(10min), minute(130min)}}, "UTC");
    REQUIRE(quiet);
    const auto end = quiet->end_after(now + 11min);
    REQUIRE(end - now > 129min);
    {
        Plan plan(DuePlanner::Lists::one, *quiet);
        CHECK(plan.planner.due() == end);
        plan.clock.advance_by(5min);
        plan.backfill_at = plan.clock.now() + 7min;
        plan.ends(plan.pass());
        CHECK(plan.planner.due() == end);
        plan.clock.advance_by(6min);
        plan.ends(plan.pass(PassKind::incremental, Trouble::passing));
        CHECK(plan.planner.due() == end);
        plan.planner.plan_now();
        CHECK(plan.planner.due() == end);
        // A person's pass is repeated at once, and that of the schedule after them.
        plan.ends(plan.unproven(PassKind::full, "three rows"));
        CHECK(plan.planner.repeats_walk());
        CHECK(plan.planner.due() == end);
        plan.ends(plan.unproven(PassKind::full, "four rows"), DuePlanner::Pass::ordinary, DuePlanner::WantedBy::person);
        CHECK(plan.planner.repeats_walk());
        CHECK(plan.planner.due() == plan.clock.now());
        plan.planner.plan_now();
        CHECK(plan.planner.due() == plan.clock.now());
        plan.ends(plan.pass(PassKind::full));
        CHECK(plan.planner.due() == end);
        plan.clock.advance_by(2h + 5min);
        plan.planner.plan_now();
        CHECK(plan.planner.due() == plan.clock.now());
    }
    // They make no table late: three intervals of a quarter of an hour, of which ten minutes have passed before.
    const auto rhythm = Plan::rhythm(*quiet);
    const auto late = rhythm.late_at(now);
    REQUIRE(late);
    CHECK(*late == end + 45min - (quiet->end_after(now + 11min) - 120min - now));
    CHECK(rhythm.default_late_after() == 45min + 2h);
    CHECK(rhythm.default_proven_late_after() == 72h + 2h);
    CHECK_FALSE(Plan::rhythm({}).late_at(now));
}

TEST_CASE("the next pass is due by the schedule, and earlier where there is something to do meanwhile")
{
    Plan plan;
    CHECK(plan.planner.left() == 15min);
    plan.backfill_at = plan.clock.now() + 5min;
    plan.ends(plan.pass());
    CHECK(plan.planner.left() == 5min);
    CHECK_FALSE(plan.planner.is_backfill_due());
    plan.clock.advance_by(5min);
    CHECK(plan.planner.is_backfill_due());
}

TEST_CASE("a pass that failed is tried again soon, later where a person has to act, and never while the path is closed")
{
    Plan plan;
    plan.ends(plan.pass(PassKind::incremental, Trouble::passing));
    CHECK(plan.planner.left() <= 1min);
    plan.ends(plan.pass(PassKind::incremental, Trouble::needs_person));
    CHECK(plan.planner.left() == 15min);
    auto closed = plan.pass(PassKind::incremental, Trouble::passing);
    closed.closed_for = 40min;
    plan.ends(closed);
    CHECK(plan.planner.left() == 40min);
}

TEST_CASE("a walk that proved nothing is repeated at once, and what failed is not")
{
    Plan plan;
    const auto walk = plan.unproven(PassKind::full, "three rows");
    plan.ends(walk);
    CHECK(plan.planner.repeats_walk());
    CHECK(plan.planner.left() == 0s);
    CHECK(plan.planner.wanted(std::nullopt) == Wish{Wanted::full, {}, false, true});
    SECTION("parts of a table are repeated within their round")
    {
        Plan sliced(DuePlanner::Lists::by_parent);
        sliced.ends(walk);
        CHECK_FALSE(sliced.planner.repeats_walk());
    }
    SECTION("trouble goes before")
    {
        plan.ends(plan.pass(PassKind::full, Trouble::passing));
        CHECK_FALSE(plan.planner.repeats_walk());
    }
}

TEST_CASE("a pass for changes over several pages that proved nothing is repeated at once, as a pass for changes")
{
    Plan plan;
    auto changes = plan.unproven(PassKind::incremental, "three changes");
    plan.ends(changes);
    CHECK_FALSE(plan.planner.repeats_walk());  // one page shows all
    CHECK(plan.planner.left() == 15min);
    changes.pages = 2;
    plan.ends(changes);
    CHECK(plan.planner.repeats_walk());
    CHECK(plan.planner.left() == 0s);
    CHECK_FALSE(plan.planner.is_full_due());
    CHECK(plan.planner.wanted(std::nullopt) == Wish{});
    // A walk over the whole list that somebody asks for meanwhile repeats none.
    CHECK(plan.planner.wanted(Wish{Wanted::full_by_person}) == Wish{Wanted::full_by_person, {}, true, false});
    SECTION("once it is proven, the schedule goes on")
    {
        changes.proof.kind = ProofKind::two_walks;
        plan.ends(changes);
        CHECK_FALSE(plan.planner.repeats_walk());
        CHECK(plan.planner.left() == 15min);
    }
    SECTION("a list that never proves its changes is not asked for ever")
    {
        plan.ends(changes);
        CHECK_FALSE(plan.planner.repeats_walk());
        plan.ends(changes);
        CHECK_FALSE(plan.planner.repeats_walk());
    }
    SECTION("where rows never stop moving, only the first pass is repeated until one proves something")
    {
        const auto repeats_of = [&plan, &changes](int intervals) {
            int repeats = 0;
            for (int interval = 0; interval < intervals; ++interval) {
                do {
                    changes.learned.met += " and more";
                    plan.ends(changes);
                    repeats += plan.planner.repeats_walk() ? 1 : 0;
                } while (plan.planner.repeats_walk());
            }
            return repeats;
        };
        CHECK(repeats_of(5) == 1);  // and the one before
        plan.ends(plan.pass());
        CHECK(repeats_of(5) == 2);
    }
    SECTION("trouble goes before")
    {
        plan.ends(plan.pass(PassKind::incremental, Trouble::passing));
        CHECK_FALSE(plan.planner.repeats_walk());
    }
    SECTION("lists by parent have rounds of their own")
    {
        Plan sliced(DuePlanner::Lists::by_parent);
        sliced.ends(changes);
        CHECK_FALSE(sliced.planner.repeats_walk());
    }
}

TEST_CASE("what the next pass is for follows from wishes, the schedule and what was cut short")
{
    Plan plan;
    CHECK(plan.planner.wanted(std::nullopt).wanted == Wanted::ordinary);
    CHECK(plan.planner.wanted(Wish{}) == Wish{Wanted::ordinary, {}, true, false});
    CHECK(plan.planner.wanted(Wish{Wanted::full_by_person}) == Wish{Wanted::full_by_person, {}, true, false});
    SECTION("a mirror that began anew wants all of it, once")
    {
        plan.planner.require_refill();
        CHECK(plan.planner.is_full_due());
        CHECK(plan.planner.take_wanted(std::nullopt).wanted == Wanted::full);
        CHECK_FALSE(plan.planner.must_refill());
        CHECK(plan.planner.wanted(std::nullopt).wanted == Wanted::ordinary);
    }
    SECTION("a walk that was cut short is resumed at once, though none over the whole list is due")
    {
        plan.planner.resume_cut_walk();
        CHECK(plan.planner.left() == 0s);
        CHECK_FALSE(plan.planner.is_full_due());
        CHECK(plan.planner.take_wanted(std::nullopt).wanted == Wanted::full);
        CHECK_FALSE(plan.planner.has_cut_walk());
    }
    SECTION("a pass over the whole list is due after a day")
    {
        plan.clock.advance_by(24h);
        CHECK(plan.planner.wanted(std::nullopt).wanted == Wanted::full);
    }
    SECTION("between two rounds over lists by parent, those that are worth another try")
    {
        Plan sliced(DuePlanner::Lists::by_parent);
        CHECK(sliced.planner.wanted(std::nullopt).wanted == Wanted::backfill);
        sliced.clock.advance_by(15min);
        CHECK(sliced.planner.wanted(std::nullopt).wanted == Wanted::ordinary);
    }
}

TEST_CASE("where ordinary passes of a ledger take longer than their interval, they alternate with its other windows")
{
    Plan plan(DuePlanner::Lists::one, Plan::ledger());
    plan.backfill_at = plan.clock.now();
    const auto walk_for = [&plan](Duration time) {
        plan.planner.pass_begins();
        const auto report = plan.pass(PassKind::window);
        plan.clock.advance_by(time);
        plan.planner.pass_ended(report, DuePlanner::Pass::ordinary);
    };
    const auto next = [&plan] { return plan.planner.wanted(std::nullopt).wanted; };
    walk_for(1min);
    REQUIRE_FALSE(plan.planner.is_ordinary_due());
    CHECK(next() == Wanted::backfill);
    walk_for(20min);
    REQUIRE(plan.planner.is_ordinary_due());
    CHECK(next() == Wanted::backfill);
    CHECK(plan.planner.wanted(Wish{}).wanted == Wanted::ordinary);  // a person comes first
    SECTION("one turn each")
    {
        for (int turn = 0; turn < 3; ++turn) {
            plan.ends(plan.pass(PassKind::window), DuePlanner::Pass::between);
            CHECK(next() == Wanted::ordinary);
            walk_for(20min);
            CHECK(next() == Wanted::backfill);
        }
    }
    SECTION("if there is other work")
    {
        plan.backfill_at = plan.clock.now() + 1h;
        CHECK(next() == Wanted::ordinary);
        plan.backfill_at.reset();
        CHECK(next() == Wanted::ordinary);
    }
    SECTION("a mirror that began anew is filled first")
    {
        plan.planner.require_refill();
        CHECK(next() == Wanted::ordinary);
    }
}

TEST_CASE("a clock that is set back delays nothing")
{
    Plan plan;
    CHECK_FALSE(plan.planner.notice_clock_set_back(DuePlanner::Waits::for_schedule));
    plan.clock.advance_by(10min);
    plan.clock.step_wall(-3h);
    CHECK(plan.planner.left() > 3h);
    SECTION("while the schedule is waited for")
    {
        CHECK(plan.planner.notice_clock_set_back(DuePlanner::Waits::for_schedule));
        CHECK(plan.planner.left() <= 15min);
    }
    SECTION("while another try is")
    {
        CHECK(plan.planner.notice_clock_set_back(DuePlanner::Waits::for_next_try));
        CHECK(plan.planner.left() == 5min);
    }
    SECTION("while a pass goes on")
    {
        Plan other;
        other.planner.pass_begins();
        const auto report = other.pass();
        other.clock.step_wall(-3h);
        other.planner.pass_ended(report, DuePlanner::Pass::ordinary);
        CHECK(other.planner.left() <= 15min);
    }
}
