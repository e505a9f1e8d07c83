// Rows leave a table.
#pragma once

#include "base/result.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/rows/change_feed.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace shelfd::mirror {

// How rows leave a table.
struct Removal {
    bool keep;                // in RESOURCE_deleted
    std::string_view run_id;  // of the pass that removes them
    std::string_view at;
};

// Takes the rows whose state meets `condition` out of the table, and writes them to the change feed. How many. Their
// details stay: see remove_list_rows.
Result<std::uint64_t> remove_rows(storage::Database& database, const ResourceFacts& facts, ChangeFeed& changes,
                                  const std::string& condition, const Removal& removal);

// Ordinals of rows that went are not used again: when most are of such rows, those that stay are numbered anew, so
// that the bitmap of rows met does not grow with every row there ever was.
Result<void> renumber_if_sparse(storage::Database& database, ResourceFacts& facts);

}  // namespace shelfd::mirror
