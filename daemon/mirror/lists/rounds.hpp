// Rounds over lists by parent: which lists a table has, which were refused, and how complete the table is.
#pragma once

#include "base/result.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/values/lists.hpp"
#include "mirror/values/specs.hpp"
#include "mirror/values/standing.hpp"
#include "mirror/values/walk.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::mirror {

// All functions run in the caller's transaction.

struct ListsKept {
    const ParentRows& parents;
    const PassStart& start;
    const DeletionLimits& limits;
    Instant now;
};

// Removes the rows of all lists not in `kept`, and forgets these lists. Returns the number of rows removed.
Result<std::uint64_t> drop_other_lists(storage::Database& database, ResourceFacts& facts, const ResourceSpec& spec,
                                       const ListsKept& kept);

// Records that a list was not walked, in its own row and that of the run.
Result<void> record_missed(storage::Database& database, const std::string& resource, const MissedList& missed);
Result<void> record_run_so_far(storage::Database& database, const RunRecord& run);

// See Mirror. `parents`: those of all lists that must exist, known or not. Ignores other lists: their rows are removed
// in the first round that knows all parents.
Result<ListsStanding> standing(storage::Database& database, const std::string& resource,
                               const std::vector<std::string>& parents);
Result<void> save_round(storage::Database& database, const std::string& resource, const ListsStanding& lists,
                        const RoundEnd& end, Instant now);

}  // namespace shelfd::mirror
