// Owner of coroutines: nothing runs that somebody does not wait for.
#pragma once

#include "runtime/async/async_event.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <exception>
#include <functional>
#include <list>
#include <string>

namespace shelfd {

namespace asio = boost::asio;

// True for what a cancelled await throws, alone or as the two halves of an `||`.
bool is_cancellation(const std::exception_ptr& error);
// What such an exception says of itself; for the log and a bug report.
std::string describe_exception(const std::exception_ptr& error);

// Children run on the executor given, which must run one handler at a time; so must the calls to this object.
// A child that ends by an exception other than cancellation is a bug. Its owner hears of it by `failed`; without that
// the first such exception is kept, the other children are cancelled, and `join` throws it.
class TaskGroup {
public:
    // Called once for each such child, by the name it was spawned with, when it is no longer in the group. Must not
    // destroy the group.
    using Failed = std::function<void(const std::string& child, const std::exception_ptr&)>;

    explicit TaskGroup(asio::any_io_executor executor, Failed failed = {})
        : executor_(std::move(executor)), failed_(std::move(failed))
    {
    }
    TaskGroup(const TaskGroup&) = delete;
    TaskGroup& operator=(const TaskGroup&) = delete;
    // Aborts when a child is left: its owner would die under it; or an exception that nobody was given.
    ~TaskGroup();

    // `name` is for `failed` alone.
    void spawn(asio::awaitable<void> task, std::string name = "");

    // Asks every child to stop at its next await. Returns at once.
    void cancel();

    // Returns when the last child has ended, those spawned meanwhile included. A cancellation of the caller does not
    // cut it short; it takes effect at the next await after it. A caller that is cancelled *already* cannot await
    // anything, this included: it has to reset its cancellation state first
    // (asio::this_coro::reset_cancellation_state).
    asio::awaitable<void> join();

    std::size_t size() const { return children_.size(); }

private:
    void list_failed(const std::string& name, const std::exception_ptr& error);
    asio::awaitable<void> wait_for_children();

    asio::any_io_executor executor_;
    Failed failed_;
    std::exception_ptr kept_;  // the first, where nobody is told
    std::list<asio::cancellation_signal> children_;
    AsyncEvent ended_;  // a child
};

}  // namespace shelfd
