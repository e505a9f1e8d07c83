#include "sync/details/detail_machine.hpp"

#include "base/backoff.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace shelfd::sync {
namespace {

constexpr Duration soon = std::chrono::minutes(1);
constexpr Duration slowly = std::chrono::minutes(15);
constexpr Duration longest = std::chrono::hours(24);
// So many answers of one kind in a row do not concern single items only.
constexpr std::uint32_t passing_in_a_row = 3;
constexpr std::uint32_t refused_in_a_row = 5;
constexpr std::uint32_t unusable_in_a_row = 10;
constexpr std::uint32_t unreadable_in_a_row = 10;
constexpr std::uint32_t lost_in_a_row = 10;
constexpr std::uint32_t throttled_in_a_row = 20;
constexpr std::uint32_t nowhere_in_a_row = 20;  // gone, or without an address, and nothing was ever fetched
// A batch of so many good items, and no other, halves the patience.
constexpr std::uint32_t good_in_a_batch = 10;
constexpr std::uint32_t max_patience = 64;

}  // namespace

DetailVerdict DetailMachine::heard(DetailEvent event, const DetailTry& item, double random)
{
    if (event != DetailEvent::throttled && event != DetailEvent::unauthorized) {
        left_.erase(item.key);
    }
    switch (event) {
    case DetailEvent::item:
        heard_otherwise();
        in_a_row_[gone] = in_a_row_[lost] = 0;
        return {DetailAction::keep, doubled(soon, item.failures, longest)};
    case DetailEvent::gone:
        heard_otherwise();
        ++in_a_row_[gone];
        in_a_row_[lost] += item.has_detail ? 1U : 0U;
        return has_lost_many() ? postpone(slowly, item, random) : DetailVerdict{DetailAction::drop, Duration()};
    case DetailEvent::unauthorized:
        if (!item.renewed) {
            return {DetailAction::renew_token, Duration()};
        }
        return fail(refused, slowly, item, random);
    case DetailEvent::refused: return fail(refused, slowly, item, random);
    case DetailEvent::throttled: return throttle(item, random);
    case DetailEvent::closed:
    case DetailEvent::passing: return fail(passing, soon, item, random);
    case DetailEvent::unusable: return fail(unusable, soon, item, random);
    case DetailEvent::no_address:
        in_a_row_[no_address] += is_news(item.failures) ? 1U : 0U;
        return {DetailAction::postpone, longest};
    }
    std::abort();
}

DetailVerdict DetailMachine::fail(Kind kind, Duration first, const DetailTry& item, double random)
{
    in_a_row_[kind] += is_news(item.failures) ? 1U : 0U;
    return postpone(first, item, random);
}

// The first time, the limit may be that of all requests; an item that meets it again may have one of its own, and each
// of its tries stops the whole library.
DetailVerdict DetailMachine::throttle(const DetailTry& item, double random)
{
    ++in_a_row_[throttled];
    const bool is_first = left_.insert(item.key).second;
    return is_first ? DetailVerdict{DetailAction::leave, Duration()} : postpone(soon, item, random);
}

DetailVerdict DetailMachine::postpone(Duration first, const DetailTry& item, double random)
{
    const auto wait = doubled(first, item.failures, longest);
    const auto jitter = Duration(static_cast<std::int64_t>(random * static_cast<double>((wait / 2).count())));
    return {DetailAction::postpone, std::max<Duration>(wait / 2 + jitter, std::min<Duration>(item.told, longest))};
}

void DetailMachine::items_read(std::uint64_t good, std::uint64_t broken, std::uint64_t for_the_first_time)
{
    if (good > 0) {
        forget();
        fetched_ever_ = read_any_ = true;
        if (std::exchange(has_waited_, false)) {
            patience_ = std::min(patience_ * 2, max_patience);
        } else if (broken == 0 && good >= good_in_a_batch) {
            patience_ = std::max(patience_ / 2, 1U);
        }
    } else {
        in_a_row_[unreadable] += static_cast<std::uint32_t>(read_any_ ? for_the_first_time : broken);
    }
}

void DetailMachine::token_replaced()
{
    heard_otherwise();
    in_a_row_[gone] = in_a_row_[lost] = 0;
}

// Call for an answer of the service itself.
void DetailMachine::heard_otherwise()
{
    in_a_row_[refused] = in_a_row_[passing] = in_a_row_[unusable] = in_a_row_[throttled] = 0;
}

void DetailMachine::forget()
{
    // Whether a good item came before or after the lost ones is known from the order of answers, not of batches.
    const auto lost_since = in_a_row_[lost];
    std::fill(std::begin(in_a_row_), std::end(in_a_row_), 0U);
    in_a_row_[lost] = lost_since;
    quick_.reset();
    slow_.reset();
}

Trouble DetailMachine::trouble() const
{
    const auto nowhere = in_a_row_[gone] + in_a_row_[no_address];
    if (in_a_row_[unusable] >= unusable_in_a_row * patience_ ||
        in_a_row_[unreadable] >= unreadable_in_a_row * patience_ || (!fetched_ever_ && nowhere >= nowhere_in_a_row)) {
        return Trouble::needs_person;
    }
    if (in_a_row_[refused] >= refused_in_a_row * patience_ || has_lost_many()) {
        return Trouble::forbidden;
    }
    const bool passes =
        in_a_row_[passing] >= passing_in_a_row * patience_ || in_a_row_[throttled] >= throttled_in_a_row;
    return passes ? Trouble::passing : Trouble::none;
}

bool DetailMachine::has_lost_many() const
{
    return in_a_row_[lost] >= lost_in_a_row;
}

Duration DetailMachine::pause(Trouble trouble, double random)
{
    has_waited_ = has_waited_ || this->trouble() != Trouble::none;
    const bool passes = trouble == Trouble::passing || trouble == Trouble::storage;
    return (passes ? quick_ : slow_).next(random);
}

}  // namespace shelfd::sync
