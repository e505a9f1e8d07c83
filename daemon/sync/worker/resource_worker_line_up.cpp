// What a pass that is due waits for before it begins, holding next to nothing: its turn in the library, room in the
// request limit, and a place among the walks of all libraries.
#include "sync/worker/resource_worker.hpp"

#include <algorithm>

namespace shelfd::sync {
namespace {

// Of a list that nobody has read yet: a few pages, the look back at the first one, the canary.
constexpr std::uint64_t first_guess = 8;
constexpr std::uint64_t max_expected = 16;
// Longer than any request of now counts. Lists that take many minutes may take each slot as it comes.
constexpr Duration max_wait_for_room = std::chrono::seconds(75);
// What is in flight may end.
constexpr Duration look_again = std::chrono::seconds(1);

// Beside the pages that are known of.
constexpr std::uint64_t beside_pages = 2;

std::uint64_t expected_of(const WalkTurns::Claim& claim)
{
    return claim.pages == 0 ? first_guess : std::min(claim.pages + beside_pages, max_expected);
}

}  // namespace

// The frame of a pass is large, and thousands of tables may wait here.
asio::awaitable<void> ResourceWorker::line_up_and_pass()
{
    auto look = [this] { return claim(); };
    report_.queued = true;
    polls_.release();  // slots that are kept for what waits here would be used by nobody
    auto turn = co_await context_.turns.take(look);
    auto place = co_await take_place();
    report_.queued = false;
    co_await pass(turn, place);
}

// A walk that began and has to wait for its limit holds what it has read for a minute: where many wait it begins when
// there is room for about all of it.
bool ResourceWorker::lacks_room() const
{
    const auto claimed = claim();
    if (claimed.is_wished || claimed.kind == WalkTurns::Kind::changes || !context_.gate->is_crowded()) {
        return false;
    }
    return !context_.limiter.has_room(budget::Purpose::full, context_.seat.expected() + expected_of(claimed));
}

asio::awaitable<WalkGate::Place> ResourceWorker::take_place()
{
    auto look = [this] {
        const auto claimed = claim();
        return WalkGate::Claim{claimed.is_wished, claimed.is_first_load};
    };
    const WalkGate::LinedUp lined_up(*context_.gate);
    const auto latest = context_.clock.boot_now() + max_wait_for_room;
    for (;;) {
        auto now = context_.clock.boot_now();
        for (; lacks_room() && now < latest; now = context_.clock.boot_now()) {
            const auto at = context_.limiter.next_change().value_or(now + look_again);
            co_await context_.clock.wait_until(std::min(at, latest), wake_);
        }
        auto place = co_await context_.gate->enter(context_.seat, look);
        if (context_.clock.boot_now() >= latest || !lacks_room()) {
            place.expect(expected_of(claim()));
            co_return place;
        }
    }
}

}  // namespace shelfd::sync
