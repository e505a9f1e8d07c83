#include "sync/library/walk_gate.hpp"

#include <algorithm>
#include <tuple>

namespace shelfd::sync {

struct WalkGate::Hold {
    Hold(WalkGate& gate_, Seat& seat_) : gate(gate_), seat(seat_), progressed_at(gate_.clock_.boot_now())
    {
        if (seat.places_++ == 0) {
            seat.since_ = progressed_at;
        }
        gate.holds_.push_back(this);
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold()
    {
        --seat.places_;
        seat.expected_ -= expected;
        std::erase(gate.holds_, this);
        gate.admit();
    }

    WalkGate& gate;
    Seat& seat;
    BootTime progressed_at;
    bool is_paused = false;
    std::uint64_t expected = 0;
};

struct WalkGate::Waiter {
    Waiter(WalkGate& gate_, Seat& seat_, std::function<Claim()> look_)
        : gate(gate_), seat(seat_), look(std::move(look_)), claim(look()), number(++gate_.arrived_)
    {
        gate.waiting_.push_back(this);
    }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter() { gate.leave(*this); }

    WalkGate& gate;
    Seat& seat;
    std::function<Claim()> look;
    Claim claim;
    std::uint64_t number;
    std::unique_ptr<Hold> hold;  // set once it has its place
    AsyncEvent woken;
};

WalkGate::~WalkGate() = default;

WalkGate::Place::Place(std::unique_ptr<Hold> hold) : hold_(std::move(hold)) {}
WalkGate::Place::Place(Place&& other) noexcept = default;
WalkGate::Place::~Place() = default;

void WalkGate::Place::expect(std::uint64_t requests)
{
    hold_->seat.expected_ += requests - hold_->expected;
    hold_->expected = requests;
}

void WalkGate::Place::sent(std::uint64_t requests)
{
    expect(hold_->expected - std::min(hold_->expected, requests));
}

void WalkGate::Place::progressed()
{
    hold_->progressed_at = hold_->gate.clock_.boot_now();
}

void WalkGate::Place::pause()
{
    if (!std::exchange(hold_->is_paused, true)) {
        hold_->gate.admit();
    }
}

void WalkGate::Place::go_on()
{
    if (std::exchange(hold_->is_paused, false)) {
        progressed();
    }
}

asio::awaitable<WalkGate::Place> WalkGate::enter(Seat& seat, std::function<Claim()> look)
{
    Waiter waiter(*this, seat, std::move(look));
    admit();
    while (!waiter.hold) {
        const auto lapse = watch_ == &waiter ? next_lapse() : std::nullopt;
        if (lapse) {
            co_await clock_.wait_until(*lapse, waiter.woken);
            admit();
        } else {
            co_await waiter.woken.wait();
        }
    }
    co_return Place(std::move(waiter.hold));
}

void WalkGate::leave(Waiter& waiter)
{
    std::erase(waiting_, &waiter);
    admit();
}

void WalkGate::reconsider(const Seat& seat)
{
    for (auto* waiter : waiting_) {
        if (&waiter->seat == &seat) {
            waiter->claim = waiter->look();
        }
    }
}

bool WalkGate::counts(const Hold& hold, BootTime now) const
{
    return !hold.is_paused && now - hold.progressed_at < patience;
}

std::size_t WalkGate::working() const
{
    const auto now = clock_.boot_now();
    return static_cast<std::size_t>(
        std::count_if(holds_.begin(), holds_.end(), [&](const Hold* hold) { return counts(*hold, now); }));
}

std::vector<WalkGate::Waiter*>::iterator WalkGate::first_in_rank(BootTime now)
{
    const auto rank = [now](const Waiter* waiter) {
        const bool is_inside = waiter->seat.places_ > 0 && now - waiter->seat.since_ < stay;
        return std::make_tuple(!waiter->claim.is_wished, waiter->claim.is_first_load, !is_inside, waiter->number);
    };
    return std::min_element(waiting_.begin(), waiting_.end(),
                            [&rank](const auto* a, const auto* b) { return rank(a) < rank(b); });
}

void WalkGate::admit()
{
    for (auto working_now = waiting_.empty() ? max_ : working(); working_now < max_ && !waiting_.empty();
         ++working_now) {
        const auto first = first_in_rank(clock_.boot_now());
        auto& chosen = **first;
        waiting_.erase(first);
        chosen.hold = std::make_unique<Hold>(*this, chosen.seat);
        chosen.woken.notify_all();
    }
    if (auto* first = waiting_.empty() ? nullptr : waiting_.front(); std::exchange(watch_, first) != first && first) {
        first->woken.notify_all();
    }
}

// When the next place stops counting; empty if none counts.
std::optional<BootTime> WalkGate::next_lapse() const
{
    std::optional<BootTime> next;
    const auto now = clock_.boot_now();
    for (const auto* hold : holds_) {
        if (counts(*hold, now) && (!next || hold->progressed_at + patience < *next)) {
            next = hold->progressed_at + patience;
        }
    }
    return next;
}

}  // namespace shelfd::sync
