// Few lists of a library are walked at once, and the others in turn.
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

// A walk holds memory as long as it goes on, and one that shares the limit with twenty others takes twenty times as
// long, while its rows move. So a library has a few turns for each kind of pass: what waits has asked for nothing yet.
// One object a library. Loop only. Outlives its turns, and who waits for one.
class WalkTurns {
public:
    enum class Kind {
        changes,  // incremental passes, the newest windows of a ledger: what keeps a table fresh
        brief,    // whole lists of a few pages, and those of which nobody knows yet how long they are
        lengthy,
    };
    static constexpr std::size_t kinds = 3;
    // Whole lists of more pages are lengthy.
    static constexpr std::uint64_t max_of_brief = 32;

    struct Claim {
        Kind kind = Kind::brief;
        bool is_wished = false;      // a person waits for it
        bool is_first_load = false;  // the table was never there: others are worse if they get old
        std::uint64_t pages = 0;     // as far as is known
    };

    // Given back when it dies.
    class [[nodiscard]] Turn {
    public:
        Turn(Turn&& other) noexcept
            : turns_(std::exchange(other.turns_, nullptr)), claim_(other.claim_), place_(other.place_),
              is_paused_(other.is_paused_)
        {
        }
        Turn& operator=(Turn&&) = delete;
        ~Turn();

        // So many pages are known of by now. False: the list is a lengthy one, and others as long are walked, so that
        // it has to wait_until_free(), holding as little as it can.
        bool may_go_on(std::uint64_t pages);
        // Cancelled, it has no turn left.
        asio::awaitable<void> wait_until_free();
        // While it waits for trouble to pass others may be walked. Afterwards one that has read nothing yet waits for
        // its turn, and any other goes on at once.
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

    // `most`: of lengthy walks at once; at least 1. Passes for changes are many, for they are short and what keeps
    // tables fresh (measured after an outage, twenty lists: 8 at once used 97.9 % of the limit, 16 used 99.3 %).
    explicit WalkTurns(std::size_t most = 2) : most_{16, 3, most, 2} {}

    // Of those who wait, wishes go first, then tables that are there already, then short lists. `look` tells what is
    // claimed, now and whenever somebody calls reconsider().
    asio::awaitable<Turn> take(std::function<Claim()> look);
    // Somebody's claim has changed.
    void reconsider();
    std::size_t under_way() const;
    std::size_t waiting() const { return waiting_.size(); }

private:
    // Beside those of the kinds: what a person wishes waits for no walk that goes on for hours.
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
