#include "sync/details/detail_plan.hpp"

#include <algorithm>

namespace shelfd::sync {
namespace {

// A look at the queue is cheap but wakes the disk.
constexpr Duration min_look = std::chrono::minutes(1);
// How soon a clock that was set back is noticed.
constexpr Duration max_look = std::chrono::minutes(15);

}  // namespace

DetailPlan::Turn DetailPlan::next(const mirror::DetailFacts& facts, Instant now) const
{
    Turn turn;
    turn.look_again = now + max_look;
    turn.share.ready = static_cast<std::size_t>(std::min<std::uint64_t>(facts.ready, max_at_once));
    if (turn.share.ready > 0) {
        return turn;
    }
    if (facts.next_ready) {
        turn.look_again = std::clamp(*facts.next_ready, now, turn.look_again);
    }
    if (!facts.last_asked) {
        return turn;
    }
    const auto in_turn = std::max<std::uint64_t>(facts.fetched + facts.gone, 1);
    const auto step = std::max<Duration>(span_ / static_cast<std::int64_t>(in_turn), Duration(1));
    // If they are many, some are fetched together.
    const auto together = std::clamp<std::int64_t>(min_look / step, 1, max_at_once);
    const auto next = *facts.last_asked + step * together;
    auto again = facts.overdue;
    if (next <= now) {
        again = std::max<std::uint64_t>(again, static_cast<std::uint64_t>((now - *facts.last_asked) / step));
    } else {
        turn.look_again = std::min(turn.look_again, next);
    }
    if (facts.first_asked) {
        turn.look_again = std::min(turn.look_again, std::max(*facts.first_asked + span_, now + min_look));
    }
    turn.share.again = static_cast<std::size_t>(std::min({again, in_turn, std::uint64_t{max_at_once}}));
    return turn;
}

double DetailPlan::needed_per_minute(std::uint64_t rows) const
{
    const double minutes = std::chrono::duration<double, std::ratio<60>>(span_).count();
    return minutes > 0 ? static_cast<double>(rows) / minutes : 0;
}

}  // namespace shelfd::sync
