// The passes of a round, and how many of those that come next ask for their first page already: slices are mostly a
// page long, and one page at a time leaves most of the limit unused where an answer takes long.
#pragma once

#include "budget/ledger.hpp"
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

// One object a round. Loop only. `close` before the end of its life.
class FirstPagePrefetch {
public:
    using Make = std::function<std::unique_ptr<PassRun>(std::size_t place)>;

    // At most `max_ahead` passes ask ahead of their turn. `make` gives pass number `place` of the round, from 0; it is
    // called once for each, in their order.
    FirstPagePrefetch(Clock& clock, std::size_t max_ahead, Make make);
    FirstPagePrefetch(const FirstPagePrefetch&) = delete;
    FirstPagePrefetch& operator=(const FirstPagePrefetch&) = delete;
    ~FirstPagePrefetch();

    // The pass that is next; those behind it begin to ask, up to the first one that `may` keeps back.
    std::unique_ptr<PassRun> take(const std::function<bool(std::size_t place)>& may);
    // How the one that was taken ended: more of them go ahead with each that took a page, none behind any other.
    void ended(const PassReport& pass);
    // Ends what is under way. What was sent for passes that were not taken. Also for callers that were cancelled, once
    // they reset their cancellation state.
    asio::awaitable<budget::Tally> close();

private:
    asio::awaitable<void> await_pages();

    Clock& clock_;
    Make make_;
    std::size_t max_ahead_;
    std::size_t ahead_ = 0;
    std::size_t next_ = 0;  // place of the pass that is taken next
    std::deque<std::unique_ptr<PassRun>> early_;
};

// A personal token follows its user from one library to another at any moment: nothing is asked for outside of a pass,
// which asks whose it is before and behind that.
std::size_t max_ahead(const config::Library& library, const oauth::TokenStatus& set);

}  // namespace shelfd::sync
