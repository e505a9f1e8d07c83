// The tasks of one library, and what becomes of them when one fails: its passes end, its token set is kept.
#pragma once

#include "app/services/bug_history.hpp"
#include "runtime/async/task_group.hpp"

#include <functional>
#include <optional>
#include <string>

namespace shelfd::app {

// Loop only. A task that ends by an exception is a bug. With the first one all passes are cancelled; the keeper of the
// token set goes on, so that no refresh is missed and no exchange is cut, unless it is the one that failed.
class LibraryTasks {
public:
    // Given what failed; says when the library begins again.
    using Failed = std::function<Bug(std::string what)>;

    LibraryTasks(asio::any_io_executor executor, Failed failed);

    // `what` names the task in a bug report: the table, or what the task does.
    void spawn(std::string what, asio::awaitable<void> task);
    // A task that a failure of the others does not end.
    void keep(std::string what, asio::awaitable<void> task);

    // What failed first; nothing is to be begun any more.
    const std::optional<Bug>& bug() const { return bug_; }
    // A task that others own has failed. Cancels nothing before it returns.
    void fail(const std::string& what, const std::exception_ptr& error);

    // Asks all to end at their next wait.
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
