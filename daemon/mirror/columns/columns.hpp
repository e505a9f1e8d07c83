// The columns of one resource: which key of the items each holds, and as what.
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

// SQLite allows 2000 in a table; some are left for what is ours and what later features add.
inline constexpr std::size_t max_columns = 1900;

struct Column {
    std::string key;   // as the items say it, unescaped
    std::string name;  // as SQL says it
    Kind kind = Kind::undecided;
    bool stored = false;     // has a place in the rows; else no item had a value for it yet, or the table is full
    bool published = false;  // in `_columns`, and in the table readers see
    bool changed = false;    // its kind is another than when it was published
};

// In the order in which the columns were first seen, the resource's key first. In memory only: publishing writes it.
class Columns {
public:
    // Of a resource without rows yet: its key columns alone, undecided.
    explicit Columns(const std::vector<std::string>& key);
    // As `_columns` has them.
    static Result<Columns> load(storage::Database& database, const std::string& resource,
                                const std::vector<std::string>& key);

    // The place of this key; made when it is new.
    std::size_t place_of(const std::string& key);
    std::size_t size() const { return columns_.size(); }
    Column& operator[](std::size_t place) { return columns_[place]; }
    const Column& operator[](std::size_t place) const { return columns_[place]; }
    const std::vector<Column>& all() const { return columns_; }
    std::size_t key_size() const { return key_size_; }

    // Gives the column a place in the rows; false when the table is full. `kind` may be undecided.
    bool store(std::size_t place, Kind kind);
    std::size_t stored() const { return stored_; }

    // "name" TYPE, …, with the key as PRIMARY KEY, for CREATE TABLE; all stored columns. With `detail_of` it is a table
    // of details: `_fetched_at`, and a foreign key that says whose.
    std::string definition(const std::string& detail_of = "") const;
    // "name", …: all stored columns, then _shape and _exact.
    std::string names() const;

private:
    Columns() = default;
    std::string free_name(const std::string& key);

    std::vector<Column> columns_;
    std::unordered_map<std::string, std::size_t> places_;
    // Names, in small letters, since SQL does not tell "Name" from "name"; ours are taken from the start.
    std::set<std::string> taken_ = {"_exact", "_shape", "_fetched_at", "_deleted_at", "_deleted_run"};
    std::size_t key_size_ = 0;
    std::size_t stored_ = 0;
};

// `"name" TYPE`, for ADD COLUMN.
std::string column_definition(const Column& column);

}  // namespace shelfd::mirror
