// Removal of rows from a table.
#pragma once

#include "base/result.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/rows/change_feed.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace shelfd::mirror {

// How rows are removed from a table.
struct Removal {
    bool keep;                // copy them to RESOURCE_deleted
    std::string_view run_id;  // of the pass that removes them
    std::string_view at;
};

// Removes the rows whose state meets `condition`, and writes them to the change feed. Returns their number. Does not
// remove their details: see remove_list_rows.
Result<std::uint64_t> remove_rows(storage::Database& database, const ResourceFacts& facts, ChangeFeed& changes,
                                  const std::string& condition, const Removal& removal);

// Ordinals of deleted rows are not reused. If most belong to such rows, the others are renumbered, so that the bitmap
// of rows met does not grow with all rows that ever existed.
Result<void> renumber_if_sparse(storage::Database& database, ResourceFacts& facts);

}  // namespace shelfd::mirror
