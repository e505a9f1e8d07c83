// One turn of a resource: a pass over the list, or a pass for each slice that is due.
#pragma once

#include "budget/limiter.hpp"
#include "sync/library_context.hpp"
#include "sync/pass_plan.hpp"
#include "sync/pass_report.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::sync {

struct Round {
    std::vector<PassPlan> passes;  // in this order, at least one
    budget::Purpose purpose = budget::Purpose::full;
    bool ordinary = true;  // it is what the schedule wants; else what is done while nothing is due

    // Each pass is published by itself; the last one of an ordinary round says what the table as a whole is as of.
    bool is_sliced() const { return passes.front().slice.has_value(); }
};

// Carries them out, one after the other, until one of them meets trouble. The report is that of the last one, with the
// counts of all; proven if all are. `progress` is written as they go on, and `changed` called after each write.
asio::awaitable<PassReport> run_round(LibraryContext& context, const config::Resource& resource, Round round,
                                      Progress& progress, std::function<void()> changed,
                                      std::optional<Instant> late_at);

}  // namespace shelfd::sync
