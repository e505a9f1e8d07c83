// What is known about each row: its hash and its ordinal in the file, and in memory one bit for each row met.
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

// k1, k2, … hash, ord, missed, place: a rowid table for single whole numbers, else one ordered by the key itself.
std::string state_definition(const std::string& table, const StateShape& shape);

// Finds the states of a page's items in one such table.
class StateTable {
public:
    StateTable(storage::Database& database, const std::string& table, const StateShape& shape);

    // Sets `known` or `staged` of the items that are there.
    Result<void> look_up(Page& page, std::optional<RowState> PageItem::*into);
    void take(const ItemKey& key, const RowState& state);
    // Puts what was taken into the table. The batch is the caller's to clear.
    Result<void> write();
    storage::RowBatch& rows() { return rows_; }
    // Of part `part` of the keys, from 1, in rows that satisfy `condition`; whole numbers only. nothing: there is none.
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
    std::string insert_sql_;  // but for where the rows come from
    std::optional<storage::Statement> scan_;
    std::optional<storage::Statement> find_;
    std::optional<storage::Statement> insert_;
    storage::RowBatch rows_;  // the hash, the key, ordinal, place
};

// The rows that a walk has met: one bit for each ordinal, whatever the order.
class SeenRows {
public:
    // True when this is the first time.
    bool mark(std::int64_t ordinal, const ItemKey& key);
    bool contains(std::int64_t ordinal) const;
    std::uint64_t count() const { return count_; }
    // 32 hexadecimal digits: the sum of the keys' hashes, hence the same in any order.
    std::string digest() const;

private:
    std::vector<std::uint64_t> bits_;
    std::uint64_t count_ = 0;
    std::uint64_t sum_first_ = 0;
    std::uint64_t sum_second_ = 0;
};

// From then on SQL on this connection may ask `_seen(ord)`, as long as `seen` lives.
Result<void> define_seen(storage::Database& database, const SeenRows& seen);

}  // namespace shelfd::mirror
