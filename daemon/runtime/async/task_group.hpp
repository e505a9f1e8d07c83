// Owner of coroutines: every coroutine has somebody who waits for its end.
//
// g++ 12 destroys the captures of a lambda that is written as an argument inside an awaited call twice (asio issue 858;
// AddressSanitizer reports a use after free). So give a lambda with captures a name, and an awaitable whose arguments
// are not trivial too: `auto work = [this] { … }; co_await lane.run(work);` and `co_await std::move(asking);`.
// tests/house finds lambdas inside awaited calls.
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

// True for what a cancelled await throws, alone or as both halves of an `||`.
bool is_cancellation(const std::exception_ptr& error);
// The text of an exception, for the log and a bug report.
std::string describe_exception(const std::exception_ptr& error);

// Children run on the given executor, which must run one handler at a time; call this object on the same executor. A
// child that ends with an exception other than cancellation is a bug. `failed` reports it; without `failed`, the first
// such exception is kept, the other children are cancelled, and `join` throws it.
class TaskGroup {
public:
    // Called once for each such child, with the name given to `spawn`, after it has left the group. Must not destroy
    // the group.
    using Failed = std::function<void(const std::string& child, const std::exception_ptr&)>;

    explicit TaskGroup(asio::any_io_executor executor, Failed failed = {})
        : executor_(std::move(executor)), failed_(std::move(failed))
    {
    }
    TaskGroup(const TaskGroup&) = delete;
    TaskGroup& operator=(const TaskGroup&) = delete;
    // Aborts if a child still runs (its owner would be destroyed under it) or an exception was never reported.
    ~TaskGroup();

    // `name` is used by `failed` only.
    void spawn(asio::awaitable<void> task, std::string name = "");

    // Asks every child to stop at its next await. Does not wait.
    void cancel();

    // Returns when the last child has ended, including children spawned meanwhile. A cancellation of the caller does
    // not interrupt it; it takes effect at the next await afterwards. A caller that is *already* cancelled cannot await
    // anything, this included: it must reset its cancellation state first (asio::this_coro::reset_cancellation_state).
    asio::awaitable<void> join();

    std::size_t size() const { return children_.size(); }

private:
    void list_failed(const std::string& name, const std::exception_ptr& error);
    asio::awaitable<void> wait_for_children();

    asio::any_io_executor executor_;
    Failed failed_;
    std::exception_ptr kept_;  // the first one, if there is no `failed`
    std::list<asio::cancellation_signal> children_;
    AsyncEvent ended_;  // notified when a child ends
};

}  // namespace shelfd
