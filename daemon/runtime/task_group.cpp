#include "runtime/task_group.hpp"

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

namespace shelfd {
namespace {

[[noreturn]] void die_of(const std::exception_ptr& error)
{
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "bug: a task ended by an exception: %s\n", e.what());
    } catch (...) {
        std::fprintf(stderr, "bug: a task ended by an unknown exception\n");
    }
    std::abort();
}

}  // namespace

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

TaskGroup::~TaskGroup()
{
    if (!children_.empty()) {
        std::fprintf(stderr, "bug: a task group died before its tasks\n");
        std::abort();
    }
}

void TaskGroup::spawn(asio::awaitable<void> task)
{
    const auto child = children_.emplace(children_.end());
    auto ended = [this, child](const std::exception_ptr& error) {
        if (error && !is_cancellation(error)) {
            die_of(error);
        }
        children_.erase(child);
        ended_.notify_all();
    };
    asio::co_spawn(executor_, std::move(task), asio::bind_cancellation_slot(child->slot(), std::move(ended)));
}

void TaskGroup::cancel()
{
    // A child may end inside emit() and remove itself: step first.
    for (auto child = children_.begin(); child != children_.end();) {
        (child++)->emit(asio::cancellation_type::terminal);
    }
}

asio::awaitable<void> TaskGroup::join()
{
    // A coroutine of its own, which no cancellation reaches: switching it off here would switch it off in the caller
    // for good, and forget one that came meanwhile.
    auto waiting = wait_for_children();
    co_await asio::co_spawn(executor_, std::move(waiting),
                            asio::bind_cancellation_slot(asio::cancellation_slot(), asio::use_awaitable));
}

asio::awaitable<void> TaskGroup::wait_for_children()
{
    while (!children_.empty()) {
        co_await ended_.wait();
    }
}

}  // namespace shelfd
