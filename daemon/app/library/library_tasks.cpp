#include "app/library/library_tasks.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/core.h>

#include <utility>

namespace shelfd::app {

LibraryTasks::LibraryTasks(asio::any_io_executor executor, Failed failed)
    : executor_(std::move(executor)), failed_(std::move(failed)),
      passes_(executor_, [this](const std::string& what, const std::exception_ptr& error) { fail(what, error); }),
      keeping_(executor_, [this](const std::string& what, const std::exception_ptr& error) { fail(what, error); })
{
}

void LibraryTasks::spawn(std::string what, asio::awaitable<void> task)
{
    passes_.spawn(std::move(task), std::move(what));
}

void LibraryTasks::keep(std::string what, asio::awaitable<void> task)
{
    keeping_.spawn(std::move(task), std::move(what));
}

void LibraryTasks::fail(const std::string& what, const std::exception_ptr& error)
{
    if (bug_) {
        return;  // usually a consequence of the first bug
    }
    bug_ = failed_(fmt::format("{}: {}", what, describe_exception(error)));
    keeping_.spawn(end_passes(), "the end of passes");
}

// Later, because the caller of `fail` may be a coroutine that the cancellation would unwind.
asio::awaitable<void> LibraryTasks::end_passes()
{
    co_await asio::post(executor_, asio::use_awaitable);
    passes_.cancel();
}

void LibraryTasks::cancel()
{
    passes_.cancel();
    keeping_.cancel();
}

asio::awaitable<void> LibraryTasks::join()
{
    co_await passes_.join();
    co_await keeping_.join();
    co_await passes_.join();  // tasks begun by those that ended last
}

}  // namespace shelfd::app
