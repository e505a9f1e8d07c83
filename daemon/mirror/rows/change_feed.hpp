// The change feed: one line for each row that a publication adds, changes or removes.
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

// Stores which tables do not write to the feed. Returns true if one of them writes again: changes of it are missing.
Result<bool> record_unwritten(storage::Database& database, std::span<const ResourceSpec> resources);

// Writes to `_changes` in the publishing transaction, before the table itself changes. `_shapes` must be complete.
class ChangeFeed {
public:
    ChangeFeed(storage::Database& database, const ResourceFacts& facts, ChangeDetail detail, std::string run_id,
               std::string seen_at);

    enum class Rows { all, known };  // known: rows that were in the table before
    // Writes an insert or update for each row of staging. `columns` are those of staging.
    Result<void> staged(const Columns& columns, Rows rows = Rows::all);
    // Writes the differences to the table in another file, `before`, which may be damaged anywhere. If it is, writes
    // nothing and returns false; errors are only those of our own file. Unlike the others, call it after the table
    // changed. Rows that were held or kept there are not written as deleted, because the service may only hide them.
    Result<bool> since(storage::Database& before);
    // Writes a deletion for each row of the table whose state meets `condition`.
    Result<void> removed(const std::string& condition);

    // Writes an update or insert for a row that was put right, in the same transaction. `before`: empty if it was
    // missing; an empty list if it could not be read.
    Result<void> put_right(const ItemKey& key, const std::optional<std::vector<ItemMember>>& before,
                           const std::vector<ItemMember>& after);

    ChangeDetail detail() const { return detail_; }
    // Suppresses all further lines.
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
