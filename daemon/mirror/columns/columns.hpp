// The columns of one resource: which member of the items each one stores, and as which kind.
#pragma once

#include "base/result.hpp"
#include "mirror/columns/kind.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace shelfd::mirror {

// SQLite allows 2000 columns in a table; some are reserved for columns of ours and later features.
inline constexpr std::size_t max_columns = 1900;

struct Column {
    std::string key;   // as in the items, unescaped
    std::string name;  // as in SQL
    Kind kind = Kind::undecided;
    bool stored = false;     // part of the rows; false if no item had a value for it yet, or the table is full
    bool published = false;  // in `_columns`, and in the table that readers see
    bool changed = false;    // its kind differs from the published one
};

// In the order in which the members were first seen, the resource's key first. In memory only; publishing stores it.
class Columns {
public:
    // For a resource without rows: only its key columns, undecided.
    explicit Columns(const std::vector<std::string>& key);
    // Loads them from `_columns`.
    static Result<Columns> load(storage::Database& database, const std::string& resource,
                                const std::vector<std::string>& key);

    // Returns the index of this key's column; adds the column if it is new.
    std::size_t place_of(const std::string& key);
    std::size_t size() const { return columns_.size(); }
    Column& operator[](std::size_t place) { return columns_[place]; }
    const Column& operator[](std::size_t place) const { return columns_[place]; }
    const std::vector<Column>& all() const { return columns_; }
    std::size_t key_size() const { return key_size_; }

    // Adds the column to the rows; returns false if the table is full. `kind` may be undecided.
    bool store(std::size_t place, Kind kind);
    std::size_t stored() const { return stored_; }

    // The CREATE TABLE statement of a table `table` with all stored columns, the key as PRIMARY KEY, `_shape` and
    // `_exact`. With `detail_of`, adds `_fetched_at` and a foreign key to that table.
    std::string create_table_sql(const std::string& table, const std::string& detail_of) const;
    // "name", … of all stored columns, then _shape and _exact.
    std::string names() const;

private:
    Columns() = default;
    std::string free_name(const std::string& key);

    std::vector<Column> columns_;
    std::unordered_map<std::string, std::size_t> places_;
    // Names in lower case, because SQL ignores case; reserved names are included from the start.
    std::set<std::string> taken_ = {"_exact", "_shape", "_fetched_at", "_deleted_at", "_deleted_run"};
    std::size_t key_size_ = 0;
    std::size_t stored_ = 0;
};

// Returns `"name" TYPE`, for ADD COLUMN.
std::string column_definition(const Column& column);

}  // namespace shelfd::mirror
