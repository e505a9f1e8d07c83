// The condition for which `wait` waits, and the waiting itself.
#pragma once

#include "base/result.hpp"
#include "control/api/line_queue.hpp"
#include "control/model/missing_tables.hpp"
#include "control/model/operations.hpp"
#include "runtime/async/clock.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::control {

struct WaitRequest {
    std::string library;            // "" = all
    std::string resource;           // "" = all; needs a library
    std::optional<Duration> fresh;  // every table's `as_of` is at most this old; empty = state fresh
    Duration timeout = std::chrono::minutes(10);
    std::optional<Instant> as_of = {};  // every table's `as_of` is this instant or later; not together with `fresh`
};

// Returns what is still missing, tables of a library with the same words together; empty when the wait is over. Retired
// and paused tables and tables of details count only if requested by name.
// Errors: usage; not_found for a library or table that does not exist.
Result<std::vector<MissingTables>> not_there_yet(const Status& status, const WaitRequest& request);

// The part of what is missing for which the wait would never end unless a person acts: tables in such a state that the
// daemon is not about to try, tables at rest, and libraries that do not run.
std::vector<MissingTables> waits_for_person(const Status& status, const WaitRequest& request);

// `look` returns the status as the waiting user may see it. Sends a line whenever the missing tables change, and the
// last line when none is missing, a person must act, or the time is over.
asio::awaitable<void> wait_until_there(Operations& operations, Clock& clock, WaitRequest request,
                                       std::function<Status()> look, LineSink sink);

}  // namespace shelfd::control
