// Repeats at once the walk of a part, a window of a ledger or a list by parent, that proved nothing.
#pragma once

#include "sync/pass/pass_report.hpp"
#include "sync/plan/pass_plan.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <optional>

namespace shelfd::sync {

// Adds the results of the passes before to the report of the newest one.
void add(PassReport& newest, const PassReport& before);

// What the walks of one part have shown.
struct RepeatedWalk {
    PassReport ended;                            // of the newest walk, with the counts and requests of all
    std::uint32_t walks = 1;                     // including the first one
    std::optional<PassReport> interrupted = {};  // the repetition that met trouble, if any; not part of `ended`
};

// Makes the pass of `plan`, which repeats the one that ended as `before`.
using WalkAgain = std::function<boost::asio::awaitable<PassReport>(PassPlan plan, const PassReport& before)>;

// Repeats a walk of `plan` that ended as `ended`, at most twice, until the part is proven or nothing moves any more:
// two successive walks prove together what neither does alone. Ends with the first repetition that meets trouble.
boost::asio::awaitable<RepeatedWalk> repeat_until_proven(PassReport ended, PassPlan plan, WalkAgain again);

}  // namespace shelfd::sync
