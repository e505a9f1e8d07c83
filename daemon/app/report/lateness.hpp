// Why a table is late or stands still, since when, and what a person can do about it.
#pragma once

#include "control/model/status.hpp"
#include "sync/details/detail_worker.hpp"
#include "sync/worker/resource_worker.hpp"

#include <chrono>
#include <string>

namespace shelfd::app {

// Passes meet this and that; what lasts longer is worth a word.
inline constexpr auto worth_telling = std::chrono::seconds(30);

// These add to a status that has its state and times, and the reason and advice of trouble, where there is any. Trouble
// that passes by itself gets no advice.
void explain_lateness(const std::string& library, const sync::ResourceReport& report, Instant now,
                      control::ResourceStatus& status);
void explain_lateness(const std::string& library, const sync::DetailWorker& worker, control::ResourceStatus& status);
// Ages are those that the service's clock tells: where ours is far from it, what is fresh looks old.
void explain_clock(const std::string& clock_trouble, control::ResourceStatus& status);

}  // namespace shelfd::app
