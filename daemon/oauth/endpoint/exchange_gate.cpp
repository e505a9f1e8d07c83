#include "oauth/endpoint/exchange_gate.hpp"

#include <algorithm>
#include <tuple>

namespace shelfd::oauth {
namespace {

using namespace std::chrono_literals;

constexpr Duration slow_after = 10s;
constexpr Duration calm_patience = 60s;
constexpr Duration burst = 1s;
constexpr std::size_t max_in_burst = 16;

}  // namespace

bool ExchangeGate::ByHaste::operator()(const Waiter* a, const Waiter* b) const
{
    return std::tuple(b->haste, a->number) < std::tuple(a->haste, b->number);
}

std::size_t ExchangeGate::begun_since(BootTime at) const
{
    return static_cast<std::size_t>(
        std::count_if(under_way_.begin(), under_way_.end(), [at](BootTime began) { return began > at; }));
}

bool ExchangeGate::may_enter(const Waiter& waiter, BootTime now) const
{
    // Only the first waiter may enter.
    if (*waiting_.begin() != &waiter) {
        return false;
    }
    switch (waiter.haste) {
    case Haste::in_doubt: return begun_since(now - burst) < max_in_burst;
    case Haste::urgent: return begun_since(now - slow_after) == 0;
    case Haste::calm: break;
    }
    return under_way_.empty();
}

// Returns when time alone may let the first waiter in.
BootTime ExchangeGate::next_look(Haste haste, BootTime now) const
{
    if (under_way_.empty()) {
        return now + slow_after;
    }
    const auto pause = haste == Haste::in_doubt ? burst : slow_after;
    const auto oldest =
        std::find_if(under_way_.begin(), under_way_.end(), [&](BootTime began) { return began + pause > now; });
    return oldest == under_way_.end() ? now + pause : *oldest + pause;
}

asio::awaitable<std::shared_ptr<void>> ExchangeGate::enter(Haste haste)
{
    struct Place {
        Place(ExchangeGate& owner, Haste how_soon) : gate(owner), waiter{how_soon, owner.arrived_++}
        {
            gate.waiting_.insert(&waiter);
        }
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;
        ~Place()
        {
            gate.waiting_.erase(&waiter);
            gate.changed_.notify_all();
        }
        ExchangeGate& gate;
        Waiter waiter;
    };
    const auto give_up = clock_.boot_now() + calm_patience;
    const Place place(*this, haste);
    for (;;) {
        const auto now = clock_.boot_now();
        if (may_enter(place.waiter, now)) {
            break;
        }
        if (haste == Haste::calm && now >= give_up) {
            co_return nullptr;
        }
        const auto look = next_look(haste, now);
        co_await clock_.wait_until(haste == Haste::calm ? std::min(look, give_up) : look, changed_);
    }
    const Exchange exchange = under_way_.insert(under_way_.end(), clock_.boot_now());
    const auto leave = [this, exchange](void*) {
        under_way_.erase(exchange);
        changed_.notify_all();
    };
    co_return std::shared_ptr<void>(this, leave);
}

}  // namespace shelfd::oauth
