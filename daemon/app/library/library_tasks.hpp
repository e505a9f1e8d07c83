// The tasks of one library. When one fails, the passes end and the token set is kept.
#pragma once

#include "app/services/bug_history.hpp"
#include "runtime/async/task_group.hpp"

#include <functional>
#include <optional>
#include <string>

namespace shelfd::app {

// Loop only. A task that ends with an exception is a bug. The first one cancels all passes; the keeper of the token set
// continues, so that no refresh is missed and no exchange interrupted, unless the keeper itself failed.
class LibraryTasks {
public:
    // Receives what failed; returns when the library starts again.
    using Failed = std::function<Bug(std::string what)>;

    LibraryTasks(asio::any_io_executor executor, Failed failed);

    // `what` names the task in a bug report: the table, or what the task does.
    void spawn(std::string what, asio::awaitable<void> task);
    // A task that continues when others fail.
    void keep(std::string what, asio::awaitable<void> task);

    // The first failure; no new task may be started then.
    const std::optional<Bug>& bug() const { return bug_; }
    // A task owned by others has failed. Cancels nothing before it returns.
    void fail(const std::string& what, const std::exception_ptr& error);

    // Asks all tasks to end at their next wait.
    void cancel();
    // As TaskGroup::join.
    asio::awaitable<void> join();

private:
    asio::awaitable<void> end_passes();

    asio::any_io_executor executor_;
    Failed failed_;
    std::optional<Bug> bug_;
    TaskGroup passes_;
    TaskGroup keeping_;
};

}  // namespace shelfd::app
