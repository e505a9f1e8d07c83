// Threads for blocking or CPU-heavy work (fsync, SQLite, JSON), used in lanes: calls of one lane never overlap.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>

namespace shelfd {

namespace asio = boost::asio;

class WorkerThreads;

// A sequence of blocking calls, run one after the other outside the loop. Copies are the same lane.
class Lane {
public:
    using Strand = asio::strand<asio::io_context::executor_type>;

    // A lane without a thread: calls run where they are awaited (tests, `--once`).
    Lane() = default;
    Lane(Strand strand, WorkerThreads& threads) : strand_(std::move(strand)), threads_(&threads) {}

    // Runs `work()` in the lane and resumes the caller on its own executor. Work that has begun is not cancelled; what
    // it refers to must live until it ends, which it does while the caller awaits. Name the lambda before the co_await
    // line.
    // Copy long-lived results, never move them: malloc has a heap for each thread, and the few bytes of one library
    // would keep whole pages of a worker's heap (measured: 9 of 15 MiB with a thousand libraries).
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
            // Optional, because Value may have no default constructor.
            std::optional<Value> value;
            auto keep = [&value, &work] { value.emplace(work()); };
            co_await carry_out(keep);
            co_return std::move(*value);
        }
    }

private:
    asio::awaitable<void> carry_out(std::function<void()> work);

    std::optional<Strand> strand_;
    WorkerThreads* threads_ = nullptr;
};

// Threads start when there is work and end after `patience` without any: malloc keeps freed memory for each living
// thread (measured: 7 MiB for four threads, after a thousand first loads). If no thread can be started, work runs on
// the caller's thread.
class WorkerPool {
public:
    static constexpr auto usual_patience = std::chrono::seconds(10);

    // `threads` is the maximum. With 0 every lane runs on its caller's thread.
    explicit WorkerPool(std::size_t threads, std::chrono::milliseconds patience = usual_patience);
    ~WorkerPool();

    Lane lane();
    // Current number of threads.
    std::size_t threads() const;
    // Waits for all work that has begun. No lane may be used afterwards.
    void join();

private:
    std::unique_ptr<WorkerThreads> threads_;
};

}  // namespace shelfd
