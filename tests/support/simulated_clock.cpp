#include "support/simulated_clock.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <stdexcept>

namespace shelfd {
namespace {

using Parked = std::multimap<BootTime, asio::steady_timer*>;

// A place in the queue of sleepers, given up whatever way the sleep ends.
class Place {
public:
    Place(std::shared_ptr<Parked> parked, BootTime at, asio::steady_timer& alarm)
        : parked_(std::move(parked)), place_(parked_->emplace(at, &alarm))
    {
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() { parked_->erase(place_); }

private:
    std::shared_ptr<Parked> parked_;
    Parked::iterator place_;
};

}  // namespace

SimulatedClock::SimulatedClock(asio::io_context& loop, Instant wall, BootTime boot)
    : loop_(loop), boot_(boot.micros()), wall_offset_(wall.micros() - boot.micros())
{
}

asio::awaitable<void> SimulatedClock::sleep_until(BootTime at)
{
    asio::steady_timer alarm(co_await asio::this_coro::executor);
    while (boot_now() < at) {
        alarm.expires_at(asio::steady_timer::time_point::max());
        const Place place(parked_, at, alarm);
        boost::system::error_code woken;
        co_await alarm.async_wait(asio::redirect_error(asio::use_awaitable, woken));
        const auto state = co_await asio::this_coro::cancellation_state;
        if (state.cancelled() != asio::cancellation_type::none) {
            throw boost::system::system_error(asio::error::operation_aborted);
        }
    }
}

void SimulatedClock::settle()
{
    do {
        loop_.restart();
    } while (loop_.poll() > 0);
}

bool SimulatedClock::advance_to_next()
{
    settle();
    if (parked_->empty()) {
        return false;
    }
    boot_ = std::max(boot_.load(), parked_->begin()->first.micros());
    const auto due_end = parked_->upper_bound(boot_now());
    for (auto due = parked_->begin(); due != due_end; ++due) {
        due->second->cancel();
    }
    settle();
    return true;
}

void SimulatedClock::advance_to(BootTime at)
{
    settle();
    while (!parked_->empty() && parked_->begin()->first <= at) {
        advance_to_next();
    }
    boot_ = std::max(boot_.load(), at.micros());
}

void SimulatedClock::pass_time(const bool& done)
{
    const auto has_ended = [&] {
        settle();
        return done;
    };
    while (!has_ended()) {
        if (advance_to_next()) {
            continue;
        }
        loop_.restart();
        if (!done && loop_.run_one_for(std::chrono::seconds(10)) == 0) {
            throw std::logic_error("simulated clock: nobody sleeps, nothing happens, and the work has not ended");
        }
    }
}

}  // namespace shelfd
