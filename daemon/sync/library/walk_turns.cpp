#include "sync/library/walk_turns.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace shelfd::sync {

struct WalkTurns::Waiter {
    Waiter(WalkTurns& turns_, std::function<Claim()> look_)
        : turns(turns_), look(std::move(look_)), claim(look()), number(++turns_.arrived_)
    {
        turns.waiting_.push_back(this);
    }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter()
    {
        std::erase(turns.waiting_, this);
        turns.freed_.notify_all();  // those behind it counted it as waiting
    }

    // The lowest rank goes first.
    auto rank() const { return std::make_tuple(!claim.is_wished, claim.is_first_load, claim.pages, number); }

    WalkTurns& turns;
    std::function<Claim()> look;
    Claim claim;
    std::uint64_t number;
};

WalkTurns::Turn::~Turn()
{
    if (turns_ != nullptr) {
        pause();
    }
}

void WalkTurns::Turn::pause()
{
    if (!std::exchange(is_paused_, true)) {
        turns_->give_back(place_);
    }
}

void WalkTurns::Turn::go_on()
{
    turns_->under_way_[place_] += is_paused_ ? 1 : 0;
    is_paused_ = false;
}

bool WalkTurns::Turn::may_go_on(std::uint64_t pages)
{
    claim_.pages = std::max(claim_.pages, pages);
    if (claim_.kind != Kind::brief || claim_.pages <= max_of_brief || place_ == wished) {
        return true;
    }
    claim_.kind = Kind::lengthy;
    const Waiter waiter(*turns_, [this] { return claim_; });
    const auto place = turns_->free_place(waiter);
    if (place > wished) {
        return false;
    }
    ++turns_->under_way_[place];
    turns_->give_back(std::exchange(place_, place));
    return true;
}

asio::awaitable<void> WalkTurns::Turn::wait_until_free()
{
    pause();
    auto& turns = *std::exchange(turns_, nullptr);
    Waiter waiter(turns, [claim = claim_] { return claim; });
    for (place_ = turns.free_place(waiter); place_ > wished; place_ = turns.free_place(waiter)) {
        co_await turns.freed_.wait();
    }
    turns_ = &turns;
    go_on();
}

asio::awaitable<WalkTurns::Turn> WalkTurns::take(std::function<Claim()> look)
{
    Waiter waiter(*this, std::move(look));
    auto place = free_place(waiter);
    for (; place > wished; place = free_place(waiter)) {
        co_await freed_.wait();
    }
    ++under_way_[place];
    co_return Turn(*this, waiter.claim, place);
}

// Returns a value above `wished` if no place is free for this waiter before all others.
std::size_t WalkTurns::free_place(const Waiter& waiter) const
{
    const auto own = static_cast<std::size_t>(waiter.claim.kind);
    bool is_first_of_kind = true;
    bool is_first = true;
    for (const auto* other : waiting_) {
        const bool goes_before = other != &waiter && other->rank() < waiter.rank();
        is_first = is_first && !goes_before;
        is_first_of_kind = is_first_of_kind && !(goes_before && other->claim.kind == waiter.claim.kind);
    }
    if (is_first_of_kind && under_way_[own] < most_[own]) {
        return own;
    }
    return waiter.claim.is_wished && is_first && under_way_[wished] < most_[wished] ? wished : wished + 1;
}

void WalkTurns::reconsider()
{
    for (auto* waiter : waiting_) {
        waiter->claim = waiter->look();
    }
    freed_.notify_all();
}

void WalkTurns::give_back(std::size_t place)
{
    --under_way_[place];
    freed_.notify_all();
}

std::size_t WalkTurns::under_way() const
{
    return std::accumulate(under_way_.begin(), under_way_.end(), std::size_t{0});
}

}  // namespace shelfd::sync
