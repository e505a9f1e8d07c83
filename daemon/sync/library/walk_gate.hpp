// Limits how many walks of all libraries of the daemon work at once; the others take turns.
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

// A working walk holds an answer, its rows, statements and an open mirror (measured: 0.9 MiB), so the number of working
// walks bounds the memory of the daemon, whatever the number of libraries. Each walk takes a place before its first
// request, and gives it back while it waits for its request limit. One object for all libraries; must outlive its
// places and the coroutines that wait for one. Loop only.
class WalkGate {
    struct Hold;
    struct Waiter;

public:
    static constexpr std::size_t max_working = 32;
    // A walk that got no page for this time does not count, so that a service that hangs delays no other library.
    static constexpr Duration patience = std::chrono::seconds(2);
    // For this time the walks of a library precede earlier ones of other libraries, because its mirror is open.
    static constexpr Duration stay = std::chrono::seconds(2);

    struct Claim {
        bool is_wished = false;      // a person waits for it
        bool is_first_load = false;  // the table does not exist yet: tables that grow old go first
    };

    // One for each library; must outlive its places and the coroutines that wait for one.
    class Seat {
    public:
        // Requests that its walks with places are still expected to send.
        std::uint64_t expected() const { return expected_; }

    private:
        friend class WalkGate;
        std::size_t places_ = 0;
        BootTime since_;  // when the first of them was taken
        std::uint64_t expected_ = 0;
    };

    // Given back by the destructor.
    class [[nodiscard]] Place {
    public:
        Place(Place&& other) noexcept;
        Place& operator=(Place&&) = delete;
        ~Place();

        void expect(std::uint64_t requests);
        void sent(std::uint64_t requests);
        // A page arrived.
        void progressed();
        // While paused, the walk waits for the service or its limit, and others may work. It continues at once
        // afterwards, even if all places are taken by then: it handles one page, and the limit spaces the answers.
        void pause();
        void go_on();

    private:
        friend class WalkGate;
        explicit Place(std::unique_ptr<Hold> hold);
        std::unique_ptr<Hold> hold_;
    };

    // A walk that wants a place: it waits for room in its limit, then for the place.
    class [[nodiscard]] LinedUp {
    public:
        explicit LinedUp(WalkGate& gate) : gate_(gate) { ++gate_.lined_up_; }
        LinedUp(const LinedUp&) = delete;
        LinedUp& operator=(const LinedUp&) = delete;
        ~LinedUp() { --gate_.lined_up_; }

    private:
        WalkGate& gate_;
    };

    explicit WalkGate(Clock& clock, std::size_t max = max_working) : clock_(clock), max_(max) {}
    WalkGate(const WalkGate&) = delete;
    WalkGate& operator=(const WalkGate&) = delete;
    ~WalkGate();

    // Order of waiting walks: wishes, existing tables, libraries that have places, arrival. Calls `look` for the claim,
    // now and at each reconsider(). If cancelled, a place that was just granted is given back.
    asio::awaitable<Place> enter(Seat& seat, std::function<Claim()> look);
    // A claim of this library has changed.
    void reconsider(const Seat& seat);
    // True if more walks have places or are lined up than may work at once (more than one library ever has). Walks that
    // would have to wait for the limit with a place should then not enter.
    bool is_oversubscribed() const { return holds_.size() + lined_up_ > max_; }
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
    std::size_t max_;
    std::uint64_t arrived_ = 0;
    std::size_t lined_up_ = 0;
    std::vector<Hold*> holds_;
    std::vector<Waiter*> waiting_;  // in order of arrival
    Waiter* watch_ = nullptr;       // the waiter that wakes when a place stops counting: the first one
};

}  // namespace shelfd::sync
