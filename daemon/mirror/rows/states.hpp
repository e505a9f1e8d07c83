// The state of each row: hash and ordinal in the file, and in memory one bit for each row met.
#pragma once

#include "base/result.hpp"
#include "mirror/json/page.hpp"
#include "mirror/values/state_shape.hpp"
#include "storage/row_batch.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::mirror {

// k1, k2, … hash, ord, missed, place: a rowid table if the key is one whole number, otherwise one ordered by the key.
std::string state_definition(const std::string& table, const StateShape& shape);

// Finds the states of a page's items in one such table.
class StateTable {
public:
    StateTable(storage::Database& database, const std::string& table, const StateShape& shape);

    // Sets `known` or `staged` of the items that are in the table.
    Result<void> look_up(Page& page, std::optional<RowState> PageItem::*into);
    void take(const ItemKey& key, const RowState& state);
    // Writes the taken states to the table. The caller clears the batch.
    Result<void> write();
    storage::RowBatch& rows() { return rows_; }
    // Returns the highest whole number in part `part` (from 1) of the keys that meet `condition`; empty if there is
    // none.
    Result<std::optional<std::int64_t>> highest(std::size_t part, const std::string& condition);

private:
    RowState state_of(const storage::Statement& row, int column) const;
    Result<bool> scan(Page& page, std::optional<RowState> PageItem::*into);
    Result<void> find(PageItem& item, std::optional<RowState> PageItem::*into);
    Result<storage::Statement*> prepared(std::optional<storage::Statement>& statement, const std::string& sql);

    storage::Database& database_;
    std::string name_;  // quoted
    StateShape shape_;
    std::string scan_sql_;
    std::string find_sql_;
    std::string insert_sql_;  // without the source of its rows
    std::optional<storage::Statement> scan_;
    std::optional<storage::Statement> find_;
    std::optional<storage::Statement> insert_;
    storage::RowBatch rows_;  // hash, key, ordinal, place
};

// The rows that a walk has met: one bit for each ordinal, in any order.
class SeenRows {
public:
    // Returns true the first time.
    bool mark(std::int64_t ordinal, const ItemKey& key);
    bool contains(std::int64_t ordinal) const;
    std::uint64_t count() const { return count_; }
    // 32 hexadecimal digits: the sum of the keys' hashes, so independent of their order.
    std::string digest() const;

private:
    std::vector<std::uint64_t> bits_;
    std::uint64_t count_ = 0;
    std::uint64_t sum_first_ = 0;
    std::uint64_t sum_second_ = 0;
};

// Defines the SQL function `_seen(ord)` on this connection. `seen` must outlive its use.
Result<void> define_seen(storage::Database& database, const SeenRows& seen);

}  // namespace shelfd::mirror
