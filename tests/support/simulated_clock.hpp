// Time that stands still until a test moves it: days pass in milliseconds, in the same order every run.
#pragma once

#include "runtime/async/clock.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <type_traits>

namespace shelfd {

// Time moves only inside `advance_*` and `run`, from one sleeper to the next; between two of them the loop runs until
// nothing is ready. The test's thread is the loop's thread; work in other threads is not waited for before time moves,
// so give the code under test a WorkerPool of 0 threads.
class SimulatedClock final : public Clock {
public:
    // 2024-01-06T06:00:00Z, 1000 s after boot. The loop outlives the clock or dies with it, in either order.
    explicit SimulatedClock(asio::io_context& loop, Instant wall = Instant::from_seconds(1'704'520'800),
                            BootTime boot = BootTime::from_micros(1'000'000'000));

    Instant now() const override { return Instant::from_micros(boot_ + wall_offset_); }
    BootTime boot_now() const override { return BootTime::from_micros(boot_); }
    asio::awaitable<void> sleep_until(BootTime at) override;

    // Runs whatever is ready, at the present time.
    void settle();
    // Wakes every sleeper due until then, each at its own time, and stops at `at` exactly.
    void advance_to(BootTime at);
    void advance_by(Duration by) { advance_to(boot_now() + by); }
    // The machine sleeps: time passes, and who was to wake meanwhile wakes at the end of it.
    void suspend(Duration by)
    {
        boot_ += by.count();
        advance_to(boot_now());
    }
    // Jumps to the earliest sleeper and lets it run; false when nobody sleeps.
    bool advance_to_next();

    // Somebody sets the wall clock; boot time knows nothing of it.
    void step_wall(Duration by) { wall_offset_ += by.count(); }
    void set_wall(Instant wall) { wall_offset_ = wall.micros() - boot_; }

    std::size_t sleepers() const { return parked_->size(); }

    // Runs `work` to its end, moving time as far as it takes, and returns its value or throws what it threw.
    // With no sleeper left it waits for real events (a socket, a worker thread); ten seconds without one are a hang.
    template <typename T>
    T run(asio::awaitable<T> work);

private:
    using Parked = std::multimap<BootTime, asio::steady_timer*>;

    void pass_time(const bool& done);

    asio::io_context& loop_;
    std::atomic<std::int64_t> boot_;
    std::atomic<std::int64_t> wall_offset_;
    // Shared with the sleepers: a loop may destroy its coroutines after this clock has gone.
    std::shared_ptr<Parked> parked_ = std::make_shared<Parked>();
};

template <typename T>
T SimulatedClock::run(asio::awaitable<T> work)
{
    struct Outcome {
        bool done = false;
        std::exception_ptr error;
        std::conditional_t<std::is_void_v<T>, std::optional<int>, std::optional<T>> value;
    };
    const auto outcome = std::make_shared<Outcome>();
    if constexpr (std::is_void_v<T>) {
        auto ended = [outcome](std::exception_ptr error) {
            outcome->done = true;
            outcome->error = std::move(error);
        };
        asio::co_spawn(loop_, std::move(work), std::move(ended));
    } else {
        // A value that cannot be made from nothing travels inside the coroutine instead of through the handler.
        auto store = [](asio::awaitable<T> inner, std::shared_ptr<Outcome> into) -> asio::awaitable<void> {
            into->value.emplace(co_await std::move(inner));
        };
        auto ended = [outcome](std::exception_ptr error) {
            outcome->done = true;
            outcome->error = std::move(error);
        };
        asio::co_spawn(loop_, store(std::move(work), outcome), std::move(ended));
    }
    pass_time(outcome->done);
    if (outcome->error) {
        std::rethrow_exception(outcome->error);
    }
    if constexpr (!std::is_void_v<T>) {
        return std::move(*outcome->value);
    }
}

}  // namespace shelfd
