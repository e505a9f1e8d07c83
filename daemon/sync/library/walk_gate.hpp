// Few walks of all libraries of the daemon work at once, and the others in turn.
#pragma once

#include "runtime/async/async_event.hpp"
#include "runtime/async/clock.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace shelfd::sync {

// A walk that works holds an answer, its rows, statements and an open mirror (measured: 0.9 MiB), so their number
// bounds the memory of the daemon, whatever the number of libraries. Each walk waits for a place before it asks for
// anything, and gives it back while it waits for its request limit. One object for all libraries; outlives its places,
// and who waits for one. Loop only.
class WalkGate {
    struct Hold;
    struct Waiter;

public:
    static constexpr std::size_t usual_most = 32;
    // Without a page for so long, a walk does not count: a service that hangs holds up no other library.
    static constexpr Duration patience = std::chrono::seconds(2);
    // So long the walks of a library go before those of others that came earlier: its mirror is open already.
    static constexpr Duration stay = std::chrono::seconds(2);

    struct Claim {
        bool is_wished = false;      // a person waits for it
        bool is_first_load = false;  // the table was never there: others are worse if they get old
    };

    // One of each library; outlives its places, and who waits for one.
    class Seat {
    public:
        // Requests that its walks inside are still expected to send.
        std::uint64_t expected() const { return expected_; }

    private:
        friend class WalkGate;
        std::size_t places_ = 0;
        BootTime since_;  // when the first of them was taken
        std::uint64_t expected_ = 0;
    };

    // Given back when it dies.
    class [[nodiscard]] Place {
    public:
        Place(Place&& other) noexcept;
        Place& operator=(Place&&) = delete;
        ~Place();

        void expect(std::uint64_t requests);
        void sent(std::uint64_t requests);
        // Something came, and is worked on.
        void progressed();
        // It waits for something that is not ours, and holds as little as it can: others may work. Afterwards it goes
        // on at once, even where all places are taken by now: that is for a page, and answers come by the limit.
        void pause();
        void go_on();

    private:
        friend class WalkGate;
        explicit Place(std::unique_ptr<Hold> hold);
        std::unique_ptr<Hold> hold_;
    };

    // Somebody wants a place, and waits for it or for what it needs before.
    class [[nodiscard]] LinedUp {
    public:
        explicit LinedUp(WalkGate& gate) : gate_(gate) { ++gate_.lined_up_; }
        LinedUp(const LinedUp&) = delete;
        LinedUp& operator=(const LinedUp&) = delete;
        ~LinedUp() { --gate_.lined_up_; }

    private:
        WalkGate& gate_;
    };

    explicit WalkGate(Clock& clock, std::size_t most = usual_most) : clock_(clock), most_(most) {}
    WalkGate(const WalkGate&) = delete;
    WalkGate& operator=(const WalkGate&) = delete;
    ~WalkGate();

    // Of those who wait, wishes go first, then tables that are there already, then libraries that are inside. `look`
    // tells what is claimed, now and whenever somebody calls reconsider(). Cancelled, it leaves nothing behind.
    asio::awaitable<Place> enter(Seat& seat, std::function<Claim()> look);
    // A claim of this library has changed.
    void reconsider(const Seat& seat);
    // More are inside or lined up than may work at once, which is more than one library ever has: who would have to
    // wait inside should not come in.
    bool is_crowded() const { return holds_.size() + lined_up_ > most_; }
    // Places that count.
    std::size_t working() const;
    std::size_t waiting() const { return waiting_.size(); }

private:
    bool counts(const Hold& hold, BootTime now) const;
    std::vector<Waiter*>::iterator first_in_rank(BootTime now);
    void admit();
    std::optional<BootTime> next_lapse() const;
    void leave(Waiter& waiter);

    Clock& clock_;
    std::size_t most_;
    std::uint64_t arrived_ = 0;
    std::size_t lined_up_ = 0;
    std::vector<Hold*> holds_;
    std::vector<Waiter*> waiting_;  // as they came
    Waiter* watch_ = nullptr;       // the one who looks when places lapse: the first
};

}  // namespace shelfd::sync
