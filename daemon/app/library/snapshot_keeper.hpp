// Copies of a library's mirror, on request and by schedule, and their results.
#pragma once

#include "control/model/operations.hpp"
#include "runtime/async/async_event.hpp"
#include "sync/library/context.hpp"

#include <functional>
#include <optional>
#include <string>

namespace shelfd::app {

// Loop only; a worker of its own writes the copies while passes continue. One copy at a time for the library, and one
// for all that share `copying`.
class SnapshotKeeper {
public:
    struct State {
        std::optional<Instant> made;  // the last one, as far as known
        std::string trouble;          // why the schedule has made none since; "" = no trouble
        std::optional<Instant> since;
    };

    // `has_rows`: the schedule does not copy an empty mirror. `changed`: called when the state has changed.
    SnapshotKeeper(sync::LibraryContext& context, Lane lane, AsyncMutex& copying, std::function<void()> changed,
                   std::function<bool()> has_rows)
        : context_(context), lane_(std::move(lane)), copying_(copying), changed_(std::move(changed)),
          has_rows_(std::move(has_rows))
    {
    }

    // Errors: as write_snapshot; after `close`, the error given to it.
    asio::awaitable<Result<control::SnapshotReport>> make();
    // Makes copies by the schedule, until cancelled. Only if there is a schedule.
    asio::awaitable<void> run();
    // Makes a copy if one is due; returns how long to wait for the next.
    asio::awaitable<Duration> make_if_due();
    // Callers that wait for their turn get this error; no further copy begins.
    void close(Error why) { closed_ = std::move(why); }

    const State& state() const { return state_; }

private:
    // Call after an error `met` of kind corrupt in the mirror.
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
