// Threads for what blocks or burns (fsync, SQLite, JSON), used in lanes: calls of one lane never overlap.
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

// A sequence of blocking calls, one after the other, off the loop. Copies are the same lane.
class Lane {
public:
    using Strand = asio::strand<asio::io_context::executor_type>;

    // The lane that is no thread: calls run where they are awaited (tests, `--once`).
    Lane() = default;
    Lane(Strand strand, WorkerThreads& threads) : strand_(std::move(strand)), threads_(&threads) {}

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
    WorkerThreads* threads_ = nullptr;
};

// Threads come with the work and go when there has been none for `patience`: malloc keeps freed memory for each thread
// that lives, and the pages around it (measured: 7 MiB for four of them, after a thousand first loads). Where none can
// be made, work runs on the caller's.
class WorkerPool {
public:
    static constexpr auto usual_patience = std::chrono::seconds(10);

    // So many at most. With 0 threads every lane runs on its caller's thread.
    explicit WorkerPool(std::size_t threads, std::chrono::milliseconds patience = usual_patience);
    ~WorkerPool();

    Lane lane();
    // How many threads there are now.
    std::size_t threads() const;
    // Waits for all work begun. No lane may be used afterwards.
    void join();

private:
    std::unique_ptr<WorkerThreads> threads_;
};

}  // namespace shelfd
