// Threads for what blocks or burns (fsync, SQLite, JSON), used in lanes: calls of one lane never overlap.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>

#include <functional>
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
    // Copy what is to be kept for long, never move it: malloc has a heap for each thread, and the few bytes of one
    // library hold whole pages of a worker's (measured: 9 of 15 MiB with a thousand libraries).
    template <typename Work>
    asio::awaitable<std::invoke_result_t<Work&>> run(Work work)
    {
        using Value = std::invoke_result_t<Work&>;
        if (!strand_) {
            co_return work();
        }
        if constexpr (std::is_void_v<Value>) {
            auto call = [&work] { work(); };
            co_await carry_out(call);
        } else {
            // Values need not be such as can be made from nothing.
            std::optional<Value> value;
            auto keep = [&value, &work] { value.emplace(work()); };
            co_await carry_out(keep);
            co_return std::move(*value);
        }
    }

private:
    asio::awaitable<void> carry_out(std::function<void()> work);

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
