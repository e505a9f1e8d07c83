// What `wait` waits for: a question to one status, and the waiting itself.
#pragma once

#include "base/result.hpp"
#include "control/api/line_queue.hpp"
#include "control/model/operations.hpp"
#include "runtime/async/clock.hpp"

#include <optional>
#include <string>
#include <vector>

namespace shelfd::control {

struct WaitRequest {
    std::string library;            // "" = all
    std::string resource;           // "" = all; needs a library
    std::optional<Duration> fresh;  // every table published as of at most that long ago; empty = state fresh
    Duration timeout = std::chrono::minutes(10);
};

// What is not there yet: "antwerp recipes: filling, page 3 of 12"; empty when the wait is over. Retired and
// paused tables and those of details count only when asked for by name.
// Errors: usage, not_found for a library or table that is not there.
Result<std::vector<std::string>> not_there_yet(const Status& status, const WaitRequest& request);

// Gives a line each time what is missing has changed, and the last one when nothing is or the time is over.
asio::awaitable<void> wait_until_there(Operations& operations, Clock& clock, WaitRequest request, LineSink sink);

}  // namespace shelfd::control
