// Open incidents and silences, for the list of alerts.
#pragma once

#include "control/hooks/incident_book.hpp"
#include "control/model/alerts.hpp"

namespace shelfd::app {

// Adds them to `report`. Events are left out: they do not last.
void report_book(const control::IncidentBook::Record& book, control::AlertReport& report);

}  // namespace shelfd::app
