// Explains why a table is late or does not advance, since when, and what a person can do.
#pragma once

#include "budget/limiter.hpp"
#include "control/model/status.hpp"
#include "sync/details/detail_worker.hpp"
#include "sync/worker/resource_worker.hpp"

#include <chrono>
#include <string>

namespace shelfd::app {

// Passes often meet short trouble; trouble that lasts longer is reported.
inline constexpr auto worth_telling = std::chrono::seconds(30);

// Completes a status that already has its state and times, and reason and advice of its trouble, if any. Trouble that
// passes by itself gets no advice.
void explain_lateness(const std::string& library, const sync::ResourceReport& report,
                      const budget::LimiterStatus& limiter, Instant now, control::ResourceStatus& status);
void explain_lateness(const std::string& library, const sync::DetailWorker& worker, control::ResourceStatus& status);
// Ages depend on the service's clock: if ours differs much, fresh tables look old.
void explain_clock(const std::string& clock_trouble, control::ResourceStatus& status);

}  // namespace shelfd::app
