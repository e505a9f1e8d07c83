// Decides when a library may send a request to one token endpoint: the libraries of a service take turns.
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

// Exchanges with one origin run one after another, so that an outage makes one set ambiguous, not all. Exceptions:
// - An ambiguous exchange is repeated at once, but at most 16 begin within a second (a start may have hundreds).
// - An exchange that has taken ten seconds is slow; urgent ones do not wait for it.
// - A calm exchange waits for its turn, for a minute at most; the caller tries again later.
// Exchanges of equal haste go in order of arrival. Loop only; must outlive its permits.
class ExchangeGate {
public:
    explicit ExchangeGate(Clock& clock) : clock_(clock) {}
    ExchangeGate(const ExchangeGate&) = delete;
    ExchangeGate& operator=(const ExchangeGate&) = delete;

    // Waits for the turn; the exchange ends when the permit is destroyed. Returns nullptr if a calm one waited too
    // long.
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
    using Exchange = std::list<BootTime>::iterator;  // value: when it began

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
