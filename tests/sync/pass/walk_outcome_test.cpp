#include "sync/pass/walk_outcome.hpp"

#include "support/catch.hpp"

#include <string>

using namespace shelfd;
using namespace shelfd::sync;
using Catch::Matchers::Contains;
using mirror::ParameterSupport;

namespace {

const Instant noon = Instant::from_seconds(1'800'000'000);

// A list of one page, as the service counts it.
struct Ended {
    Ended()
    {
        facts.pages = 1;
        facts.closed = true;
        facts.count_first = facts.count_last = facts.count_least = facts.count_most = 3;
        facts.distinct_keys = 3;
        facts.key_set = "keys";
    }
    EndedWalk walk() const { return {.plan = plan, .facts = facts}; }
    mirror::Proof proof(const Publication& publication = {noon, noon}) const
    {
        return to_mirror_proof(walk(), publication);
    }

    PassPlan plan;
    WalkFacts facts;
};

}  // namespace

TEST_CASE("a walk that is proven and vouched for may delete, and changes are asked for since it was read")
{
    Ended ended;
    const auto proof = ended.proof({noon, noon - Duration(1)});
    CHECK(proof.whole);
    CHECK(proof.complete);
    CHECK(proof.one_answer);
    CHECK(proof.kind == "single_page");
    CHECK(proof.text == "1 pages, 3 distinct keys of 3");
    CHECK(proof.changes_from == noon - Duration(1));
    CHECK_FALSE(proof.round);
}

TEST_CASE("a pass for changes proves nothing of the rows that did not change")
{
    Ended ended;
    ended.plan.kind = PassKind::incremental;
    CHECK_FALSE(ended.proof().complete);
    CHECK_FALSE(ended.proof().whole);
    CHECK(ended.proof().changes_from == noon);
}

TEST_CASE("changes are requested again if no canary answered after the walk that did not see them")
{
    Ended ended;
    for (const auto kind : {PassKind::full, PassKind::incremental}) {
        ended.plan.kind = kind;
        auto walk = ended.walk();
        REQUIRE(to_mirror_proof(walk, {noon, noon}).changes_from == noon);
        walk.is_confirmed = false;
        const auto proof = to_mirror_proof(walk, {noon, noon});
        CHECK_FALSE(proof.changes_from);
        CHECK(proof.complete == (kind == PassKind::full));
    }
}

TEST_CASE("where nothing tells whether the token works, a complete walk proves nothing, and people are told what to do")
{
    Ended ended;
    auto walk = ended.walk();
    walk.is_unvouched = true;
    CHECK_FALSE(walk.proof().complete());
    const auto proof = to_mirror_proof(walk, {noon, noon});
    CHECK_FALSE(proof.complete);
    CHECK(proof.is_unvouched);
    CHECK_FALSE(proof.changes_from);
    CHECK_THAT(remark_on(walk), Contains("set `identity` of the service"));
}

TEST_CASE("the pass that ends a round says what the table as a whole is as of, and whether that is proven")
{
    Ended ended;
    Publication publication{noon, noon};
    publication.spent.add(budget::Reason::page, 2);
    publication.spent.add(budget::Reason::canary, 1);
    auto& round = publication.round.emplace();
    round.as_of = noon - Duration(5);
    round.spent.add(budget::Reason::page, 7);
    const auto proof = ended.proof(publication);
    CHECK(proof.requests == 9);
    REQUIRE(proof.round);
    CHECK(proof.round->as_of == noon - Duration(5));
    CHECK(proof.round->proven);
    SECTION("an unproven pass before it")
    {
        round.proven = false;
        CHECK_FALSE(ended.proof(publication).round->proven);
    }
    SECTION("another pass follows")
    {
        round.ends = false;
        CHECK_FALSE(ended.proof(publication).round);
    }
}

TEST_CASE("people are told why a list is not proven complete")
{
    Ended ended;
    CHECK(remark_on(ended.walk()).empty());
    SECTION("it brings fewer rows than the service counts")
    {
        ended.facts.count_last = 5;
        CHECK_THAT(remark_on(ended.walk()), Contains("the list returned 3 rows, but the service counts 5"));
    }
    SECTION("it is cut")
    {
        ended.facts.is_cut = true;
        CHECK_THAT(remark_on(ended.walk()), Contains("the list returned 3 rows"));
    }
    SECTION("a page that the service itself named was refused")
    {
        ended.facts.is_cut = true;
        auto walk = ended.walk();
        walk.refused_page = 400;
        CHECK_THAT(remark_on(walk), Contains("page 2 of the list was answered 400"));
        CHECK_THAT(remark_on(walk), Contains("split it with `window`"));
        walk.envelope = Envelope::cursor;
        CHECK_THAT(remark_on(walk), Contains("the next pass starts at page 1"));
    }
    SECTION("in which slice")
    {
        ended.facts.is_cut = true;
        ended.plan.slice.emplace().name = "2026-05-03";
        CHECK_THAT(remark_on(ended.walk()), Catch::Matchers::StartsWith("2026-05-03: the list"));
    }
}

TEST_CASE(
    "a walk that takes too many rows of other windows proves nothing, and people are told that the key may be why")
{
    Ended ended;
    ended.plan.kind = PassKind::window;
    ended.plan.slice.emplace().name = "2026-05-03";
    auto walk = ended.walk();
    REQUIRE(to_mirror_proof(walk, {noon, noon}).complete);
    walk.taken = {2, 3, true};
    CHECK_FALSE(walk.proof().complete());
    const auto proof = to_mirror_proof(walk, {noon, noon});
    CHECK_FALSE(proof.complete);
    CHECK(proof.takes_rows);
    CHECK(proof.kind == "none");
    CHECK_THAT(remark_on(walk),
               Catch::Matchers::StartsWith("2026-05-03: 2 of 3 rows have the keys of rows of other windows"));
    CHECK_THAT(remark_on(walk), Contains("name more members in `key`"));
    walk.taken.are_many = false;
    CHECK(to_mirror_proof(walk, {noon, noon}).complete);
    CHECK(remark_on(walk).empty());
}

TEST_CASE("a walk tells what the service makes of the order that was asked for")
{
    Ended ended;
    ended.plan.plain_query = "page_size=3";
    ended.facts.pages = 2;
    CHECK(learned_by(ended.walk(), "run").ordering == ParameterSupport::obeyed);
    ended.facts.descending = false;
    CHECK(learned_by(ended.walk(), "run").ordering == ParameterSupport::ignored);
    auto walk = ended.walk();
    walk.order_was_refused = true;
    CHECK(learned_by(walk, "run").ordering == ParameterSupport::refused);
    ended.facts.pages = 1;
    CHECK(learned_by(ended.walk(), "run").ordering == ParameterSupport::unknown);
    ended.facts.pages = 2;
    ended.plan.plain_query.clear();
    CHECK(learned_by(ended.walk(), "run").ordering == ParameterSupport::unknown);
}

TEST_CASE("a filter is in doubt where the first page of a pass for changes was refused")
{
    Ended ended;
    ended.facts.pages = 0;
    auto walk = ended.walk();
    walk.query_was_refused = true;
    CHECK_FALSE(learned_by(walk, "run").filter_in_doubt);
    ended.plan.kind = PassKind::incremental;
    CHECK(learned_by(walk, "run").filter_in_doubt);
    ended.facts.pages = 1;
    CHECK_FALSE(learned_by(walk, "run").filter_in_doubt);
}

TEST_CASE("two walks that met the same rows, and count them the same, have met the same")
{
    Ended one;
    Ended other;
    const auto met = [](const Ended& ended) { return learned_by(ended.walk(), "run").met; };
    CHECK(met(one) == met(other));
    other.facts.count_first = 4;
    CHECK(met(one) != met(other));
    other = Ended();
    other.facts.entered = 1;
    CHECK(met(one) != met(other));
    // Of a list by cursors, rows that changed between two walks may have moved while both went on.
    one.facts.is_chain = true;
    one.facts.by_key = false;
    one.facts.fresh = 1;
    CHECK(learned_by(one.walk(), "run 1").met != learned_by(one.walk(), "run 2").met);
}
