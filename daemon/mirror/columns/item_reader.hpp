// Rebuilds the item from which a row was made: equal as JSON, numbers by their text, instants as times.
#pragma once

#include "base/result.hpp"
#include "mirror/columns/columns.hpp"
#include "mirror/json/item_key.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace shelfd::mirror {

struct ItemMember {
    std::string key;    // JSON, in quotes
    std::string value;  // JSON text
};

// For rows of one resource, published or staged.
class ItemReader {
public:
    ItemReader(storage::Database& database, std::string resource, const Columns& columns);

    // `first` is the column of the statement at which `columns.names()` begin. Errors: corrupt, if the row has an
    // unknown shape or `_exact` is not JSON.
    Result<std::vector<ItemMember>> members(const storage::Statement& row, int first);

private:
    Result<const std::vector<std::string>*> keys_of(std::int64_t shape);

    storage::Database& database_;
    std::string resource_;
    std::unordered_map<std::string, std::pair<int, Kind>> columns_;  // by key: column of the row
    int stored_ = 0;
    std::unordered_map<std::int64_t, std::vector<std::string>> shapes_;
};

std::string to_json(const std::vector<ItemMember>& members);

// Finds a row of a table by its key. `columns` must be exactly the table's columns.
class RowFinder {
public:
    static Result<RowFinder> open(storage::Database& database, const std::string& table, const std::string& resource,
                                  const Columns& columns);
    // Returns an empty optional if there is no such row.
    Result<std::optional<std::vector<ItemMember>>> find(const ItemKey& key);

private:
    RowFinder(ItemReader reader, storage::Statement row, std::vector<Kind> kinds);
    ItemReader reader_;
    storage::Statement row_;
    std::vector<Kind> kinds_;  // of the key columns
};

}  // namespace shelfd::mirror
