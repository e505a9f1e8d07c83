// What a person asks for is done by `run()`, between two refreshes, whether or not the person goes on waiting.
#include "oauth/keeper/token_keeper.hpp"

#include <fmt/format.h>

namespace shelfd::oauth {

// `act` is called by `run()` and must hold what it needs: who asked may be gone by then.
template <typename Value>
asio::awaitable<Result<Value>> TokenKeeper::by_run(std::function<asio::awaitable<Result<Value>>()> act)
{
    using Outcome = std::optional<Result<Value>>;
    const auto outcome = std::make_shared<Outcome>();
    const auto command = std::make_shared<Command>();
    auto keep = [](asio::awaitable<Result<Value>> acting, std::shared_ptr<Outcome> into) -> asio::awaitable<void> {
        into->emplace(co_await std::move(acting));
    };
    command->act = [act, keep, outcome] { return keep(act(), outcome); };
    if (!co_await done_by_run(command)) {
        co_return stopped_error();
    }
    co_return std::move(**outcome);
}

asio::awaitable<Result<ImportOutcome>> TokenKeeper::import(ImportedSet set, ImportMode mode, Destroying destroying)
{
    ImportOrder order;
    order.mode = mode;
    order.destroying = destroying;
    return import_as(std::move(set), std::move(order));
}

asio::awaitable<Result<ImportOutcome>> TokenKeeper::import_as(ImportedSet set, ImportOrder order)
{
    const auto given = std::make_shared<ImportedSet>(std::move(set));
    return by_run<ImportOutcome>([this, given, order] { return run_import(std::move(*given), order); });
}

// Where the service has answered before the daemon stops, the next start goes on with the new set.
asio::awaitable<Result<ImportOutcome>> TokenKeeper::redeem(CodeGrant grant)
{
    const auto given = std::make_shared<CodeGrant>(std::move(grant));
    return by_run<ImportOutcome>([this, given] { return run_login(std::move(*given)); });
}

asio::awaitable<Result<Secret>> TokenKeeper::move_out(std::string where)
{
    return by_run<Secret>([this, to = std::move(where)] { return run_move_out(to); });
}

asio::awaitable<Result<void>> TokenKeeper::adopt()
{
    return by_run<void>([this] { return run_adopt(); });
}

asio::awaitable<Result<void>> TokenKeeper::forget()
{
    return by_run<void>([this] { return run_forget(); });
}

// Waits until `run()` has done it; false when that ended first.
asio::awaitable<bool> TokenKeeper::done_by_run(std::shared_ptr<Command> command)
{
    commands_.push_back(command);
    wanted_.notify_all();
    while (!command->ended && !stopped_) {
        co_await changed_.wait();
    }
    co_return command->ended;
}

// To a person who waited for something that `run` no longer does.
Error TokenKeeper::stopped_error() const
{
    return Error(
        ErrorKind::stopped,
        fmt::format("the daemon is stopping, or {0} was loaded anew; what became of its set says: shelfctl auth "
                    "status {0}",
                    settings_.library));
}

}  // namespace shelfd::oauth
