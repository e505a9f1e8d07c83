#include "runtime/worker_pool.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>

namespace shelfd {

// Not by co_spawn: that ties the caller's cancellation slot to the work and lets go of it on the worker's thread.
asio::awaitable<void> Lane::carry_out(std::function<void()> work)
{
    const auto home = co_await asio::this_coro::executor;
    auto begin = [this, &work, &home](auto resume) {
        // Tracked: the caller's loop has something to wait for.
        auto job = [&work, home = asio::prefer(home, asio::execution::outstanding_work.tracked),
                    resume = std::move(resume)]() mutable {
            std::exception_ptr thrown;
            try {
                work();
            } catch (...) {
                thrown = std::current_exception();
            }
            auto back = [resume = std::move(resume), thrown = std::move(thrown)]() mutable {
                std::move(resume)(std::move(thrown));
            };
            asio::post(home, std::move(back));
        };
        asio::post(*strand_, std::move(job));
    };
    co_await asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr)>(begin, asio::use_awaitable);
}

WorkerPool::WorkerPool(std::size_t threads)
{
    if (threads > 0) {
        threads_.emplace(threads);
    }
}

Lane WorkerPool::lane()
{
    return threads_ ? Lane(asio::make_strand(threads_->get_executor())) : Lane();
}

void WorkerPool::join()
{
    if (threads_) {
        threads_->join();
    }
}

}  // namespace shelfd
