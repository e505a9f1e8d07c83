// What is wrong with a table.
#pragma once

#include "control/causes/cause_set.hpp"
#include "control/model/status.hpp"

#include <string>
#include <vector>

namespace shelfd::control {

// That of the last pass. After a restart the mirror alone remembers what blocks a table.
Trouble trouble_of(const ResourceStatus& table);

// Without a filled table nothing is late, so only time tells that a first load does not come.
inline constexpr Duration long_without_answer = std::chrono::hours(4);

bool is_late(const ResourceStatus& table, Instant now);

// A first load that cannot begin before that of another table.
bool waits_for_other_table(const ResourceStatus& table);

// With all that the status says about the table.
Finding finding_of(const LibraryStatus& library, const ResourceStatus& table, CauseKind kind, std::string scope);
// What needs a person although passes go on: rows that are held, a filter that the service does not obey, a
// column of the wrong kind.
std::vector<Finding> find_conditions(const LibraryStatus& library, const ResourceStatus& table);

// What one pass has found stops all that are not retired or paused.
void name_all_tables(const LibraryStatus& library, Affected& affected);

// Whom to ask, once for all these tables, which the service refuses to the token set.
std::string ask_for_permissions(const LibraryStatus& library, const std::vector<std::string>& tables);

// Why the mirror of a table cannot be written, in the same words wherever that was met.
std::string describe_disk(const ResourceStatus& table);

// Where a cause affects several tables of the library: says what is wrong and what to do once for all of them.
void tell_of_all(const LibraryStatus& library, CauseKind kind, Affected& affected);

}  // namespace shelfd::control
