// Tables whose trouble moves from one cause to another, without a time of being well between: one incident.
#pragma once

#include "control/hooks/incident.hpp"
#include "control/model/cause.hpp"

#include <set>
#include <string>
#include <vector>

namespace shelfd::control {

// Whether trouble of one kind may turn out to be trouble of the other: both say why lists are not read, or they say
// of the same what does not fit.
bool may_become(CauseKind former, CauseKind present);

// Whether one of them has that key.
bool is_listed(const std::vector<Cause>& causes, const std::string& key);

// Pure. Whether every table of the incident, as it was last seen, is affected by such causes now, and the incident's
// own cause is none of them. An incident that was absent has ended instead.
bool has_moved(const Incident& incident, const std::vector<Cause>& causes);

// The first incident that has moved, and of whose tables `cause` affects one; `open.end()` if there is none. `seen`:
// the keys of causes that were seen since the start. The first failures after it may be of another kind than those that
// were seen before, so an incident that is left from there becomes a cause of its own kind only.
std::vector<Incident>::iterator find_former(std::vector<Incident>& open, const Cause& cause,
                                            const std::vector<Cause>& causes, const std::set<std::string>& seen);

// Of an incident that has moved: leaves the tables that such causes still affect. Returns true if any was left out;
// the last ones stay.
bool leave_out_well(Incident& incident, const std::vector<Cause>& causes);

// Of an incident that is over: leaves the tables that no such cause affects, because those are not well. If there are
// none, what it was about last stays.
void leave_out_taken(Incident& incident, const std::vector<Cause>& causes);

}  // namespace shelfd::control
