// Staged rows that lack members which the table's rows have: that is how a service answers a
// dead token on a list that is partly public.
#pragma once

#include "base/result.hpp"
#include "mirror/columns/columns.hpp"
#include "mirror/columns/item_reader.hpp"
#include "mirror/json/item_key.hpp"
#include "mirror/records/resource.hpp"
#include "storage/sqlite.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace shelfd::mirror {

// Valid while nothing is staged. The sets of keys of the staged rows must be stored.
class LostMembers {
public:
    // `staged` are the columns of the staging table.
    static Result<LostMembers> open(storage::Database& database, const ResourceFacts& facts, const Columns& staged);

    // At most `most` of the rows that lose members.
    Result<std::vector<ItemKey>> rows(std::size_t most);
    // The staged item, and the members that only the table has.
    Result<std::string> restored(const ItemKey& key);

private:
    using Items = std::pair<std::vector<ItemMember>, std::vector<ItemMember>>;  // of the table, staged

    LostMembers(storage::Database& database, const ResourceFacts& facts, RowFinder old, RowFinder staged,
                std::string joined);
    Result<Items> find(const ItemKey& key);
    Result<bool> loses(const ItemKey& key);

    storage::Database& database_;
    const ResourceFacts& facts_;
    RowFinder old_;
    RowFinder staged_;
    std::string joined_;
    std::map<std::pair<std::int64_t, std::int64_t>, bool> known_;  // by the shapes of both rows
};

// Removes staged rows that are as in the table. In the caller's transaction.
Result<void> drop_unchanged(storage::Database& database, const ResourceFacts& facts, const Columns& staged);

}  // namespace shelfd::mirror
