#include "sync/worker/walk_repeats.hpp"

#include "support/catch.hpp"

#include <string>

using namespace shelfd::sync;

namespace {

PassReport unproven(const std::string& met)
{
    PassReport report;
    report.learned.met = met;
    return report;
}

}  // namespace

TEST_CASE("a walk that proved nothing is repeated, twice at most")
{
    WalkRepeats repeats;
    CHECK_FALSE(repeats.is_due());
    repeats.published(unproven("a"), WalkRepeats::Pass::walk);
    CHECK(repeats.is_due());
    repeats.published(unproven("b"), WalkRepeats::Pass::walk);
    CHECK(repeats.is_due());
    repeats.published(unproven("c"), WalkRepeats::Pass::walk);
    CHECK_FALSE(repeats.is_due());
    repeats.published(unproven("d"), WalkRepeats::Pass::walk);
    CHECK(repeats.is_due());
}

TEST_CASE("a list that two walks met the same, and unproven, is not walked a third time until it differs")
{
    WalkRepeats repeats;
    repeats.published(unproven("a"), WalkRepeats::Pass::walk);
    REQUIRE(repeats.is_due());
    repeats.published(unproven("a"), WalkRepeats::Pass::walk);
    CHECK_FALSE(repeats.is_due());
    repeats.published(unproven("a"), WalkRepeats::Pass::walk);
    CHECK_FALSE(repeats.is_due());
    repeats.published(unproven("b"), WalkRepeats::Pass::walk);
    CHECK(repeats.is_due());
}

TEST_CASE("what is proven, unvouched, no walk or failed is not repeated")
{
    WalkRepeats repeats;
    repeats.published(unproven("a"), WalkRepeats::Pass::walk);
    SECTION("proven")
    {
        auto proven = unproven("b");
        proven.proof.kind = ProofKind::single_page;
        repeats.published(proven, WalkRepeats::Pass::walk);
    }
    SECTION("unvouched: another walk brings no canary")
    {
        auto unvouched = unproven("b");
        unvouched.is_unvouched = true;
        repeats.published(unvouched, WalkRepeats::Pass::walk);
    }
    SECTION("a pass for changes")
    {
        repeats.published(unproven("b"), WalkRepeats::Pass::other);
    }
    SECTION("failed")
    {
        repeats.failed();
    }
    CHECK_FALSE(repeats.is_due());
}
