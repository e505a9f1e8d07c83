// When alerts look at the status for the first time after a start.
#pragma once

#include "control/hooks/incident_book.hpp"
#include "control/model/status.hpp"

namespace shelfd::app {

// A library that was in trouble, or is, may take so long to report; a call that has to be made does not wait longer.
inline constexpr Duration first_look_within = std::chrono::minutes(1);

// Whether the libraries with trouble, now or in the record, have reported: before that, a call would name a milder
// severity, a later deadline and fewer tables than are known a moment later.
bool may_look(const control::Status& status, const control::IncidentBook::Record& before);

}  // namespace shelfd::app
