// Copies of a library's mirror, on request and by its schedule, and what became of them.
#pragma once

#include "control/model/operations.hpp"
#include "runtime/async/async_event.hpp"
#include "sync/library/context.hpp"

#include <functional>
#include <optional>
#include <string>

namespace shelfd::app {

// Loop only; copies are written by a worker of their own, and passes go on meanwhile. One at a time for the library,
// and one for all that share `copying`.
class SnapshotKeeper {
public:
    struct State {
        std::optional<Instant> made;  // the last one, as far as known
        std::string trouble;          // why the schedule could not make one since; "" = it could
        std::optional<Instant> since;
    };

    // `has_rows`: a mirror without any is not copied by the schedule. `changed`: the state is another one now.
    SnapshotKeeper(sync::LibraryContext& context, Lane lane, AsyncMutex& copying, std::function<void()> changed,
                   std::function<bool()> has_rows)
        : context_(context), lane_(std::move(lane)), copying_(copying), changed_(std::move(changed)),
          has_rows_(std::move(has_rows))
    {
    }

    // Errors: as write_snapshot; after `close`, what that was given.
    asio::awaitable<Result<control::SnapshotReport>> make();
    // By the schedule, until cancelled. Only where there is one.
    asio::awaitable<void> run();
    // The same once. How long nothing is to be done now.
    asio::awaitable<Duration> make_if_due();
    // Those who wait for a turn get this error, and nothing is begun any more.
    void close(Error why) { closed_ = std::move(why); }

    const State& state() const { return state_; }

private:
    // After the error `met`, of the kind corrupt, in the mirror.
    asio::awaitable<void> verify_file(Error met);

    sync::LibraryContext& context_;
    Lane lane_;  // of its own
    AsyncMutex& copying_;
    std::function<void()> changed_;
    std::function<bool()> has_rows_;
    AsyncMutex turn_;
    State state_;
    std::optional<Error> closed_;
};

}  // namespace shelfd::app
