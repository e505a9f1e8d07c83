// Open incidents and silences, for the list of alerts.
#pragma once

#include "control/hooks/call_queue.hpp"
#include "control/hooks/incident_book.hpp"
#include "control/model/alerts.hpp"

#include <vector>

namespace shelfd::app {

// Adds open and ended incidents to `report`. Open events are left out: they do not last.
void report_book(const control::IncidentBook::Record& book, const control::CallQueue& queue, Instant now,
                 control::AlertReport& report);

// Enters the ids of open incidents. Pauses of several limit groups of a service are one incident.
void name_incidents(const control::IncidentBook::Record& book, std::vector<control::Cause>& problems);

}  // namespace shelfd::app
