// What to type about a table that does not advance, or whom to ask.
#pragma once

#include "app/library/library_unit.hpp"
#include "control/model/status.hpp"

#include <string>
#include <vector>

namespace shelfd::app {

// "" if only waiting helps.
std::string advice_on(const LibraryUnit& unit, const sync::ResourceWorker& worker);
std::string advice_on(const LibraryUnit& unit, const sync::DetailWorker& worker);

// Until the first pass after a restart, which quiet hours may put off, the mirror says what a pass before it met. (Of a
// table that needs a person, the reason may be gone since then.)
Trouble shown_trouble(Trouble met, TableState recorded);

// Whether the service has no list any more that was read before (404): what its cure says to check is then not the
// first thing to look at.
bool is_no_longer_served(const sync::ResourceWorker& worker);
// Whether `advice_on` says it better than what the trouble ends with: for a list that was read before.
bool is_said_better(const sync::ResourceWorker& worker);

// The scope that the resource needs and the set lacks; "" if it lacks none or does not say.
std::string missing_scope(const LibraryUnit& unit, const std::string& resource);

// For the tables of one mirror. A table whose pass was published, and after which the mirror could not be written, is
// not tried again before its next turn; but nobody has to look at the disk any more once another table was published.
void forget_past_disk_trouble(std::vector<control::ResourceStatus>& tables);

// A full disk of the mirrors is one problem: that of the tables, if there is one, else the first notice about it.
void forget_told_disk(control::Status& status);

}  // namespace shelfd::app
