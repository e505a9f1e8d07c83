// The change feed: what a publication adds, changes and removes, a line for each row.
#pragma once

#include "base/result.hpp"
#include "mirror/columns/columns.hpp"
#include "mirror/columns/item_reader.hpp"
#include "mirror/json/item_key.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/values/specs.hpp"
#include "storage/sqlite.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace shelfd::mirror {

// Remembers which tables write nothing to the feed. Whether one of them writes again: then changes of it are missing.
Result<bool> record_unwritten(storage::Database& database, std::span<const ResourceSpec> resources);

// Writes to `_changes` inside the publishing transaction, always before the table itself changes. `_shapes` must be
// complete already.
class ChangeFeed {
public:
    ChangeFeed(storage::Database& database, const ResourceFacts& facts, ChangeDetail detail, std::string run_id,
               std::string seen_at);

    enum class Rows { all, known };  // known: those that were in the table before
    // Every row of staging: insert or update. `columns` are staging's.
    Result<void> staged(const Columns& columns, Rows rows = Rows::all);
    // What the table has otherwise than it had in another file, `before`, which may break anywhere. False: it did, and
    // nothing is written. Errors are of our own file alone. After the table changed, other than the rest. Rows that
    // were held or kept there are not told as deleted: the service may only hide them.
    Result<bool> since(storage::Database& before);
    // Rows of the table for whose state `condition` holds.
    Result<void> removed(const std::string& condition);

    ChangeDetail detail() const { return detail_; }
    // Nothing more is written.
    void mute() { detail_ = ChangeDetail::none; }

private:
    Result<bool> compare(storage::Database& before);
    Result<bool> came_since(RowFinder& old, const Columns& columns);
    Result<bool> went_since(storage::Database& before, const Columns& old_columns, RowFinder& now);
    Result<void> changed(const ItemKey& key, const std::optional<std::vector<ItemMember>>& before,
                         const std::vector<ItemMember>& after);
    Result<void> line(const ItemKey& key, const char* op, const std::string& before, const std::string& after);

    storage::Database& database_;
    const ResourceFacts& facts_;
    ChangeDetail detail_;
    std::string run_id_;
    std::string seen_at_;
    std::optional<storage::Statement> insert_;
};

}  // namespace shelfd::mirror
