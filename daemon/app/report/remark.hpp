// Takes sentences apart that hold more than a reason: what to do, or how far a first round has come.
#pragma once

#include "control/model/status.hpp"
#include "mirror/values/standing.hpp"

#include <string_view>

namespace shelfd::app {

// For a status whose `why` is that of the mirror's `summary`; others stay as they are. What a remark says to do becomes
// `do_this`; one about the lists of a first round gets what is known of the round under way.
void explain_remark(const mirror::ResourceSummary& summary, control::ResourceStatus& status);

// Leaves out `cure`, the end of `why`, if `do_this` says what to do.
void leave_out_cure(std::string_view cure, control::ResourceStatus& status);

}  // namespace shelfd::app
