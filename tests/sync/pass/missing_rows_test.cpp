#include "sync/pass/witnesses.hpp"

#include "support/catch.hpp"

using namespace shelfd;
using namespace shelfd::sync;
using Standing = mirror::MissingRow::Standing;

namespace {

Witnesses witnesses()
{
    Witnesses chosen;
    chosen.choose({{.key = "1", .standing = Standing::missing},
                   {.key = "2", .standing = Standing::held},
                   {.key = "3", .standing = Standing::held},
                   {.key = "4", .standing = Standing::kept}});
    return chosen;
}

}  // namespace

TEST_CASE("what the service says about a missing row is evidence, and tells the machine")
{
    auto rows = witnesses();
    CHECK(rows.size() == 4);
    CHECK(rows.row(2).key == "3");
    const auto there = rows.heard(0, RowAnswer::there);
    CHECK(there.event == PassEvent::row_there);
    CHECK(there.evidence == mirror::Witness::there);
    const auto gone = rows.heard(0, RowAnswer::gone);
    CHECK(gone.event == PassEvent::row_gone);
    CHECK(gone.evidence == mirror::Witness::gone);
    const auto unclear = rows.heard(0, RowAnswer::unclear);
    CHECK(unclear.event == PassEvent::row_unclear);
    CHECK(unclear.evidence == mirror::Witness::none);
}

TEST_CASE("an answer that asks for a pause, or for another token, is no evidence")
{
    auto rows = witnesses();
    CHECK(rows.heard(0, RowAnswer::throttled).event == PassEvent::throttled);
    CHECK_FALSE(rows.heard(0, RowAnswer::throttled).evidence);
    CHECK(rows.heard(0, RowAnswer::unauthorized).event == PassEvent::unauthorized);
    CHECK_FALSE(rows.heard(0, RowAnswer::unauthorized).evidence);
}

TEST_CASE("a held row that is still hidden settles the other held rows, and no missing one")
{
    auto rows = witnesses();
    CHECK_FALSE(rows.is_settled(2));
    const auto held = rows.heard(1, RowAnswer::there);
    CHECK(held.event == PassEvent::row_unclear);
    CHECK(held.evidence == mirror::Witness::there);
    CHECK(rows.is_settled(2));
    CHECK_FALSE(rows.is_settled(0));
    CHECK_FALSE(rows.is_settled(3));
}

TEST_CASE("a row that a person keeps, and the list hides, settles nothing")
{
    auto rows = witnesses();
    CHECK(rows.heard(3, RowAnswer::there).event == PassEvent::row_unclear);
    CHECK_FALSE(rows.is_settled(1));
}
