#include "sync/worker/table_trouble.hpp"

#include "support/catch.hpp"

using namespace shelfd;
using namespace shelfd::sync;
using namespace std::chrono_literals;

namespace {

const Instant noon = Instant::from_seconds(1'800'000'000);

PassReport pass(Trouble trouble, Instant started = noon)
{
    PassReport report;
    report.trouble = trouble;
    report.started = started;
    report.why = trouble == Trouble::none ? "" : "it is so";
    report.spent.add(budget::Reason::page, 1);
    return report;
}

}  // namespace

TEST_CASE("trouble lasts since the first pass that met it, and since before a restart")
{
    const auto first = trouble_after(pass(Trouble::passing), {}, std::nullopt);
    CHECK(first.trouble == Trouble::passing);
    CHECK(first.why == "it is so");
    CHECK(first.trouble_since == noon);
    CHECK(trouble_after(pass(Trouble::passing, noon + 1h), first, std::nullopt).trouble_since == noon);
    CHECK(trouble_after(pass(Trouble::forbidden, noon + 1h), first, std::nullopt).trouble_since == noon + 1h);
    CHECK(trouble_after(pass(Trouble::passing), {}, noon - 24h).trouble_since == noon - 24h);
    const auto over = trouble_after(pass(Trouble::none), first, std::nullopt);
    CHECK(over.trouble == Trouble::none);
    CHECK_FALSE(over.trouble_since);
}

TEST_CASE("trouble that passes by itself has lasted since before the restart, if the mirror says since when")
{
    mirror::ResourceSummary summary;
    summary.state = TableState::fresh;
    summary.why = "the service answered 503";
    CHECK_FALSE(trouble_before_restart(summary));  // a remark about a pass that went well
    summary.since = noon;
    const auto lasting = trouble_before_restart(summary);
    REQUIRE(lasting);
    CHECK(lasting->trouble == Trouble::passing);
    CHECK(lasting->why == summary.why);
    CHECK(lasting->trouble_since == noon);
    CHECK(trouble_after(pass(Trouble::passing, noon + 1h), *lasting, std::nullopt).trouble_since == noon);
    for (const auto state : {TableState::forbidden, TableState::needs_person, TableState::paused}) {
        summary.state = state;
        CHECK_FALSE(trouble_before_restart(summary));
    }
}

TEST_CASE("trouble of the newest windows stays told while older windows go well")
{
    using Walked = NewestWindowTrouble::Walked;
    NewestWindowTrouble newest;
    const auto failed = pass(Trouble::needs_person);
    const auto trouble = trouble_after(failed, {}, std::nullopt);
    CHECK(newest.after(failed, Walked::newest, trouble).trouble == Trouble::needs_person);
    const auto shown = newest.after(pass(Trouble::none), Walked::older, {});
    CHECK(shown.trouble == Trouble::needs_person);
    CHECK(shown.why == "it is so");
    CHECK(shown.trouble_since == noon);
    SECTION("until they go well")
    {
        CHECK(newest.after(pass(Trouble::none), Walked::newest, {}).trouble == Trouble::none);
        CHECK(newest.after(pass(Trouble::none), Walked::older, {}).trouble == Trouble::none);
    }
    SECTION("trouble of an older one goes before")
    {
        const TableTrouble other{Trouble::passing, ErrorKind::storage, "away", noon};
        CHECK(newest.after(pass(Trouble::passing), Walked::older, other).why == "away");
    }
}

TEST_CASE("trouble of the token set, of the disk, or before anything was asked is not that of the newest windows")
{
    using Walked = NewestWindowTrouble::Walked;
    auto failed = pass(GENERATE(Trouble::wrong_library, Trouble::storage, Trouble::needs_person));
    if (failed.trouble == Trouble::needs_person) {
        failed.spent = {};
    }
    NewestWindowTrouble newest;
    newest.after(failed, Walked::newest, trouble_after(failed, {}, std::nullopt));
    CHECK(newest.after(pass(Trouble::none), Walked::older, {}).trouble == Trouble::none);
}

TEST_CASE("a list that was read and is denied once is asked for again before a person is told that it is gone")
{
    auto report = pass(Trouble::needs_person);
    report.instead = PassReport::Instead::denial;
    mirror::ResourceSummary summary;
    summary.state = TableState::fresh;
    CHECK(UnreadPasses::is_worth_another_look(report, summary, true));
    CHECK_FALSE(UnreadPasses::is_worth_another_look(report, summary, false));  // the next pass asks again
    summary.state = TableState::filling;
    CHECK_FALSE(UnreadPasses::is_worth_another_look(report, summary, true));
    summary.state = TableState::fresh;
    report.instead = PassReport::Instead::nothing_known;
    CHECK_FALSE(UnreadPasses::is_worth_another_look(report, summary, true));
}

TEST_CASE("while a denial may pass, nobody is told to check anything")
{
    UnreadPasses passes;
    mirror::ResourceSummary summary;
    summary.state = TableState::fresh;
    for (int i = 0; i < 4; ++i) {
        auto report = pass(Trouble::needs_person);
        report.instead = PassReport::Instead::denial;
        report.why = "the service answered; it does not accept the request (410); check `path` and `params`";
        report.cure = Cure("check `path` and `params`");
        passes.judge(report, summary, false);
        CHECK((report.why == "the service answered; it does not accept the request (410)") == (i < 3));
        CHECK(report.cure.words().empty() == (i < 3));
        CHECK((report.cure.kind() == CureKind::none) == (i < 3));
        CHECK((report.trouble == Trouble::passing) == (i < 3));
    }
}

TEST_CASE("an answer that is no page needs a person only once it came so often that it does not pass")
{
    const auto judged = [](UnreadPasses& passes, PassReport::Instead instead, TableState state,
                           bool asked_for = false) {
        auto report = pass(instead == PassReport::Instead::denial ? Trouble::needs_person : Trouble::passing);
        report.instead = instead;
        mirror::ResourceSummary summary;
        summary.state = state;
        if (state != TableState::filling) {
            summary.as_of = noon;
        }
        passes.judge(report, summary, asked_for);
        return report.trouble;
    };
    using enum PassReport::Instead;
    UnreadPasses passes;
    for (const auto expected : {Trouble::passing, Trouble::passing, Trouble::needs_person, Trouble::needs_person}) {
        CHECK(judged(passes, no_json, TableState::filling) == expected);
    }
    CHECK(judged(passes, no_json, TableState::fresh) == Trouble::passing);
    for (const auto state : {TableState::fresh, TableState::late, TableState::held}) {
        UnreadPasses others;
        for (int i = 0; i < 3; ++i) {
            CHECK(judged(others, denial, state) == Trouble::passing);
        }
        CHECK(judged(others, denial, state) == Trouble::needs_person);
        CHECK(judged(others, nothing_known, state) == Trouble::passing);
        CHECK(judged(others, denial, state) == Trouble::passing);
        CHECK(judged(others, denial, state, true) == Trouble::needs_person);
    }
    CHECK(judged(passes, denial, TableState::filling) == Trouble::needs_person);
    CHECK(judged(passes, denial, TableState::needs_person) == Trouble::needs_person);
}

TEST_CASE("a denial of a table that was read, and is filling again, may pass as that of any other")
{
    UnreadPasses passes;
    mirror::ResourceSummary summary;
    summary.state = TableState::filling;
    summary.as_of = noon;
    for (int i = 0; i < 4; ++i) {
        auto report = pass(Trouble::needs_person);
        report.instead = PassReport::Instead::denial;
        CHECK(UnreadPasses::is_worth_another_look(report, summary, true));
        passes.judge(report, summary, false);
        CHECK((report.trouble == Trouble::passing) == (i < 3));
    }
}
