// Threads for what blocks or burns (fsync, SQLite, JSON), used in lanes: calls of one lane never overlap.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <optional>
#include <type_traits>

namespace shelfd {

namespace asio = boost::asio;

// A sequence of blocking calls, one after the other, off the loop. Copies are the same lane.
class Lane {
public:
    using Strand = asio::strand<asio::thread_pool::executor_type>;

    // The lane that is no thread: calls run where they are awaited (tests, `--once`).
    Lane() = default;
    explicit Lane(Strand strand) : strand_(std::move(strand)) {}

    // Runs `work()` in the lane and resumes the caller on its own executor. Once begun, work is not cancelled; what it
    // refers to must live until then, which it does when the caller awaits. Name the lambda before the co_await line.
    template <typename Work>
    asio::awaitable<std::invoke_result_t<Work&>> run(Work work)
    {
        using Value = std::invoke_result_t<Work&>;
        if (!strand_) {
            co_return work();
        }
        if constexpr (std::is_void_v<Value>) {
            co_await asio::co_spawn(*strand_, call(std::move(work)), uncancelled());
        } else {
            // Values that cannot be made from nothing do not travel through co_spawn.
            std::optional<Value> value;
            auto keep = [&value, &work] { value.emplace(work()); };
            co_await asio::co_spawn(*strand_, call(std::move(keep)), uncancelled());
            co_return std::move(*value);
        }
    }

private:
    using Token = asio::cancellation_slot_binder<asio::use_awaitable_t<>, asio::cancellation_slot>;

    // co_spawn would tie the caller's cancellation slot to the work, and let go of it on the worker's thread.
    static Token uncancelled() { return {asio::cancellation_slot(), asio::use_awaitable}; }

    template <typename Work>
    static asio::awaitable<void> call(Work work)
    {
        work();
        co_return;
    }

    std::optional<Strand> strand_;
};

class WorkerPool {
public:
    // With 0 threads every lane runs on its caller's thread.
    explicit WorkerPool(std::size_t threads);
    ~WorkerPool() { join(); }

    Lane lane();
    // Waits for all work begun. No lane may be used afterwards.
    void join();

private:
    std::optional<asio::thread_pool> threads_;
};

}  // namespace shelfd
