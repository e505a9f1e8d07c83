// Who may send the next request to one token endpoint, and when: the libraries of one service take turns.
#pragma once

#include "oauth/endpoint/haste.hpp"
#include "runtime/async/async_event.hpp"
#include "runtime/async/clock.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <list>
#include <memory>
#include <set>

namespace shelfd::oauth {

namespace asio = boost::asio;

// Exchanges of one origin come one after the other, so that one outage puts one set in doubt, not all. But:
// - What is in doubt goes at once: only sixteen of them begin within a second, for a start with hundreds.
// - An exchange that has been under way for ten seconds is slow, and those that are urgent pass it.
// - Those that are calm wait for it, for a minute at most, and come back later.
// Within one haste, first come, first served. Loop only; outlives its permits.
class ExchangeGate {
public:
    explicit ExchangeGate(Clock& clock) : clock_(clock) {}
    ExchangeGate(const ExchangeGate&) = delete;
    ExchangeGate& operator=(const ExchangeGate&) = delete;

    // Waits for the turn; the exchange is over when the permit goes. nullptr for a calm one that had to wait too long.
    asio::awaitable<std::shared_ptr<void>> enter(Haste haste);

    std::size_t under_way() const { return under_way_.size(); }
    std::size_t waiting() const { return waiting_.size(); }

private:
    struct Waiter {
        Haste haste;
        std::uint64_t number;
    };
    struct ByHaste {
        bool operator()(const Waiter* a, const Waiter* b) const;
    };
    using Exchange = std::list<BootTime>::iterator;  // when it began

    bool may_enter(const Waiter& waiter, BootTime now) const;
    BootTime next_look(Haste haste, BootTime now) const;
    std::size_t begun_since(BootTime at) const;

    Clock& clock_;
    std::list<BootTime> under_way_;  // in the order in which they began
    std::set<const Waiter*, ByHaste> waiting_;
    std::uint64_t arrived_ = 0;
    AsyncEvent changed_;
};

}  // namespace shelfd::oauth
