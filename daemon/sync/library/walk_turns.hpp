// Limits how many lists of a library are walked at once; the others take turns.
#pragma once

#include "runtime/async/async_event.hpp"

#include <boost/asio/awaitable.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace shelfd::sync {

// A walk holds memory until it ends, and one that shares the limit with twenty others takes twenty times as long, while
// its rows move. So a library has a few turns for each kind of pass; a pass that waits has sent no request. One object
// for each library; must outlive its turns and waiters. Loop only.
class WalkTurns {
public:
    enum class Kind {
        changes,  // incremental passes and the newest windows of a ledger, which keep a table fresh
        brief,    // whole lists of a few pages, or of unknown length
        lengthy,
    };
    static constexpr std::size_t kinds = 3;
    // Whole lists with more pages are lengthy.
    static constexpr std::uint64_t max_of_brief = 32;

    struct Claim {
        Kind kind = Kind::brief;
        bool is_wished = false;      // a person waits for it
        bool is_first_load = false;  // the table does not exist yet: tables that grow old go first
        std::uint64_t pages = 0;     // as far as known
    };

    // Given back by the destructor.
    class [[nodiscard]] Turn {
    public:
        Turn(Turn&& other) noexcept
            : turns_(std::exchange(other.turns_, nullptr)), claim_(other.claim_), place_(other.place_),
              is_paused_(other.is_paused_)
        {
        }
        Turn& operator=(Turn&&) = delete;
        ~Turn();

        // Call when `pages` pages are known. False: the list is lengthy and all turns of that kind are taken, so it
        // must wait_until_free(), with little memory.
        bool may_go_on(std::uint64_t pages);
        // If it is cancelled, the turn is given up.
        asio::awaitable<void> wait_until_free();
        // While paused for trouble, others may walk. go_on() continues at once; a walk that has read nothing yet calls
        // wait_until_free() instead.
        void pause();
        void go_on();

    private:
        friend class WalkTurns;
        Turn(WalkTurns& turns, Claim claim, std::size_t place) : turns_(&turns), claim_(claim), place_(place) {}

        WalkTurns* turns_;
        Claim claim_;
        std::size_t place_;
        bool is_paused_ = false;
    };

    // `most`: lengthy walks at once, at least 1. Incremental passes get many turns: they are short and keep tables
    // fresh (measured after an outage with twenty lists: 8 at once used 97.9 % of the limit, 16 used 99.3 %).
    explicit WalkTurns(std::size_t most = 2) : most_{16, 3, most, 2} {}

    // Order of waiters: wishes, existing tables, short lists. Calls `look` for the claim, now and at each reconsider().
    asio::awaitable<Turn> take(std::function<Claim()> look);
    // A claim has changed.
    void reconsider();
    std::size_t under_way() const;
    std::size_t waiting() const { return waiting_.size(); }

private:
    // Extra turns, so that a person's wish does not wait for a walk of hours.
    static constexpr std::size_t wished = kinds;
    struct Waiter;

    std::size_t free_place(const Waiter& waiter) const;
    void give_back(std::size_t place);

    std::array<std::size_t, kinds + 1> most_;
    std::array<std::size_t, kinds + 1> under_way_{};
    std::uint64_t arrived_ = 0;
    std::vector<Waiter*> waiting_;
    AsyncEvent freed_;
};

}  // namespace shelfd::sync
