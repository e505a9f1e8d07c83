#include "sync/worker/wish_queue.hpp"

#include "support/catch.hpp"

using namespace shelfd;
using namespace shelfd::sync;

namespace {

Wish over_days(std::int64_t first, std::int64_t last)
{
    return {Wanted::full_by_person, TimeRange{Instant::from_seconds(first), Instant::from_seconds(last)}};
}

}  // namespace

TEST_CASE("one pass over a whole list fulfils all wishes that wait, by the one that wants most")
{
    WishQueue queue(WishQueue::Join::one_for_all);
    CHECK(queue.empty());
    CHECK_FALSE(queue.take());
    CHECK(queue.add({Wanted::ordinary}) == 0);
    CHECK(queue.add({Wanted::full_by_person}) == 0);
    CHECK(queue.add({Wanted::full}) == 0);
    CHECK(queue.next() == Wish{Wanted::full_by_person});
    CHECK(queue.take() == Wish{Wanted::full_by_person});
    CHECK(queue.empty());
}

TEST_CASE("windows that people want are walked in their order, each once")
{
    WishQueue queue(WishQueue::Join::equal_ones);
    CHECK(queue.add(over_days(0, 10)) == 0);
    CHECK(queue.add(over_days(20, 30)) == 1);
    CHECK(queue.add(over_days(0, 10)) == 0);
    CHECK(queue.take() == over_days(0, 10));
    CHECK(queue.add(over_days(0, 10)) == 1);
    CHECK(queue.take() == over_days(20, 30));
    CHECK(queue.take() == over_days(0, 10));
    CHECK(queue.empty());
}

TEST_CASE("a pass for several people names each of them once")
{
    using Users = std::vector<std::string>;
    WishQueue queue(WishQueue::Join::one_for_all);
    queue.add({Wanted::backfill});
    // The name of a user may be a part of another's, or hold what separates names where they are shown.
    for (const auto& who : {Users{"erik"}, Users{"jan"}, Users{"erik"}, Users{"eri"}, Users{"erik, jan"}, Users{}}) {
        Wish wish{Wanted::ordinary};
        wish.asked_by = who;
        queue.add(wish);
    }
    CHECK(queue.take()->asked_by == Users{"erik", "jan", "eri", "erik, jan"});

    WishQueue windows(WishQueue::Join::equal_ones);
    for (const auto* who : {"erik", "jan"}) {
        auto wish = over_days(0, 10);
        wish.asked_by = {who};
        CHECK(windows.add(wish) == 0);
    }
    auto other = over_days(20, 30);
    other.asked_by = {"piet"};
    CHECK(windows.add(other) == 1);
    CHECK(windows.take()->asked_by == Users{"erik", "jan"});
    CHECK(windows.take()->asked_by == Users{"piet"});
}
