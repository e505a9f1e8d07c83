#include "runtime/async/task_group.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/multiple_exceptions.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace shelfd {

bool is_cancellation(const std::exception_ptr& error)
{
    try {
        std::rethrow_exception(error);
    } catch (const boost::system::system_error& e) {
        return e.code() == asio::error::operation_aborted;
    } catch (const asio::multiple_exceptions& e) {
        return is_cancellation(e.first_exception());
    } catch (...) {
        return false;
    }
}

std::string describe_exception(const std::exception_ptr& error)
{
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& e) {
        return e.what();
    } catch (...) {
        return "an exception of unknown type";
    }
}

TaskGroup::~TaskGroup()
{
    if (!children_.empty()) {
        std::fprintf(stderr, "bug: a task group was destroyed before its tasks ended\n");
        std::abort();
    }
    if (kept_) {
        std::fprintf(stderr, "bug: a task ended by an exception: %s\n", describe_exception(kept_).c_str());
        std::abort();
    }
}

void TaskGroup::spawn(asio::awaitable<void> task, std::string name)
{
    const auto child = children_.emplace(children_.end());
    auto ended = [this, child, name = std::move(name)](const std::exception_ptr& error) {
        children_.erase(child);
        if (error && !is_cancellation(error)) {
            list_failed(name, error);
        }
        ended_.notify_all();
    };
    asio::co_spawn(executor_, std::move(task), asio::bind_cancellation_slot(child->slot(), std::move(ended)));
}

void TaskGroup::list_failed(const std::string& name, const std::exception_ptr& error)
{
    if (failed_) {
        failed_(name, error);
    } else if (!std::exchange(kept_, kept_ ? kept_ : error)) {
        cancel();
    }
}

void TaskGroup::cancel()
{
    // A child may end inside emit() and remove itself, so advance the iterator first.
    for (auto child = children_.begin(); child != children_.end();) {
        (child++)->emit(asio::cancellation_type::terminal);
    }
}

asio::awaitable<void> TaskGroup::join()
{
    // A separate coroutine that no cancellation reaches. Disabling cancellation here would disable it in the caller for
    // good, and would lose a cancellation that arrives meanwhile.
    auto waiting = wait_for_children();
    co_await asio::co_spawn(executor_, std::move(waiting),
                            asio::bind_cancellation_slot(asio::cancellation_slot(), asio::use_awaitable));
    if (kept_) {
        std::rethrow_exception(std::exchange(kept_, nullptr));
    }
}

asio::awaitable<void> TaskGroup::wait_for_children()
{
    while (!children_.empty()) {
        co_await ended_.wait();
    }
}

}  // namespace shelfd
