// The passes of a round, of which the next ones request their first page early: most slices have one page, and with one
// request at a time slow answers would leave most of the limit unused.
#pragma once

#include "budget/tally.hpp"
#include "config/model/model.hpp"
#include "oauth/status/token_status.hpp"
#include "runtime/async/clock.hpp"
#include "sync/pass/pass_report.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

namespace shelfd::sync {

class PassRun;

// One object for each round. Loop only. Call `close` before destruction.
class FirstPagePrefetch {
public:
    using Make = std::function<std::unique_ptr<PassRun>(std::size_t place)>;

    // At most `max_ahead` passes request their page early. `make` returns pass number `place` of the round, from 0; it
    // is called once for each, in order.
    FirstPagePrefetch(Clock& clock, std::size_t max_ahead, Make make);
    FirstPagePrefetch(const FirstPagePrefetch&) = delete;
    FirstPagePrefetch& operator=(const FirstPagePrefetch&) = delete;
    ~FirstPagePrefetch();

    // Returns the next pass. Those after it request their pages, up to the first one for which `may` returns false.
    std::unique_ptr<PassRun> take(const std::function<bool(std::size_t place)>& may);
    // Reports how the taken pass ended: more passes run ahead after each that took a single page, none after any other.
    void ended(const PassReport& pass);
    // Cancels what is under way; returns what was sent for passes that were not taken. Callers that were cancelled must
    // reset their cancellation state first.
    asio::awaitable<budget::Tally> close();

private:
    asio::awaitable<void> await_pages();

    Clock& clock_;
    Make make_;
    std::size_t max_ahead_;
    std::size_t ahead_ = 0;
    std::size_t next_ = 0;  // place of the next pass to take
    std::deque<std::unique_ptr<PassRun>> early_;
};

// 0 for a personal token, which follows its user from one library to another at any moment: requests are sent only
// within a pass, which asks the canary before and after them.
std::size_t max_ahead(const config::Library& library, const oauth::TokenStatus& set);

}  // namespace shelfd::sync
