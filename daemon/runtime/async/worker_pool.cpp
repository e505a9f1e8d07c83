#include "runtime/async/worker_pool.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <list>
#include <mutex>
#include <thread>

namespace shelfd {

class WorkerThreads {
public:
    WorkerThreads(std::size_t most, std::chrono::milliseconds patience) : most_(most), patience_(patience) {}

    asio::io_context& jobs() { return jobs_; }

    // Call before posting a job; `Job` must live while it runs. Returns false when no thread can run it.
    bool expect_job();
    class Job {
    public:
        explicit Job(WorkerThreads& threads);
        Job(const Job&) = delete;
        Job& operator=(const Job&) = delete;
        ~Job();

    private:
        WorkerThreads& threads_;
    };

    std::size_t size() const;
    void join();

private:
    void make_one();
    void work();
    bool may_go();

    const std::size_t most_;
    const std::chrono::milliseconds patience_;
    asio::io_context jobs_;
    std::optional<asio::executor_work_guard<asio::io_context::executor_type>> open_ = asio::make_work_guard(jobs_);
    mutable std::mutex mutex_;  // protects the members below
    std::size_t expected_ = 0;  // jobs that have not begun
    std::size_t busy_ = 0;      // threads with a job
    std::list<std::thread> present_;
    std::list<std::thread> gone_;  // ended, or about to end
    std::condition_variable went_;
};

bool WorkerThreads::expect_job()
{
    const std::lock_guard lock(mutex_);
    ++expected_;
    if (present_.size() < most_ && present_.size() - busy_ < expected_) {
        try {
            make_one();
        } catch (const std::exception&) {  // no memory, or no more threads allowed
            // Other threads will take the job, if there are any.
        }
    }
    if (present_.empty()) {
        --expected_;
        return false;
    }
    return true;
}

void WorkerThreads::make_one()
{
    for (auto& thread : gone_) {
        thread.join();
    }
    gone_.clear();
    present_.emplace_back([this] { work(); });
}

void WorkerThreads::work()
{
    while (jobs_.run_one_for(patience_) > 0 || !may_go()) {
    }
}

// True when there is no job for this thread, which then must end; also when the pool is closed.
bool WorkerThreads::may_go()
{
    const std::lock_guard lock(mutex_);
    if (expected_ > 0 && open_) {
        return false;
    }
    const auto self = std::find_if(present_.begin(), present_.end(),
                                   [](const auto& one) { return one.get_id() == std::this_thread::get_id(); });
    gone_.splice(gone_.end(), present_, self);
    went_.notify_all();
    return true;
}

WorkerThreads::Job::Job(WorkerThreads& threads) : threads_(threads)
{
    const std::lock_guard lock(threads_.mutex_);
    --threads_.expected_;
    ++threads_.busy_;
}

WorkerThreads::Job::~Job()
{
    const std::lock_guard lock(threads_.mutex_);
    --threads_.busy_;
}

std::size_t WorkerThreads::size() const
{
    const std::lock_guard lock(mutex_);
    return present_.size();
}

void WorkerThreads::join()
{
    std::unique_lock lock(mutex_);
    open_.reset();
    went_.wait(lock, [this] { return present_.empty(); });
    for (auto& thread : gone_) {
        thread.join();
    }
    gone_.clear();
}

// Not co_spawn: it ties the caller's cancellation slot to the work and releases it on the worker's thread.
asio::awaitable<void> Lane::carry_out(std::function<void()> work)
{
    if (!threads_->expect_job()) {
        work();
        co_return;
    }
    const auto home = co_await asio::this_coro::executor;
    auto begin = [this, &work, &home](auto resume) {
        // Tracked, so that the caller's loop keeps running until the work has ended.
        auto job = [threads = threads_, &work, home = asio::prefer(home, asio::execution::outstanding_work.tracked),
                    resume = std::move(resume)]() mutable {
            std::exception_ptr thrown;
            const WorkerThreads::Job running(*threads);
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

WorkerPool::WorkerPool(std::size_t threads, std::chrono::milliseconds patience)
{
    if (threads > 0) {
        threads_ = std::make_unique<WorkerThreads>(threads, patience);
    }
}

WorkerPool::~WorkerPool()
{
    join();
}

Lane WorkerPool::lane()
{
    return threads_ ? Lane(asio::make_strand(threads_->jobs()), *threads_) : Lane();
}

std::size_t WorkerPool::threads() const
{
    return threads_ ? threads_->size() : 0;
}

void WorkerPool::join()
{
    if (threads_) {
        threads_->join();
    }
}

}  // namespace shelfd
