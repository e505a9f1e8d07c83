#include "mirror/rows/sample.hpp"

#include "mirror/json/item_key.hpp"
#include "mirror/records/row_state_sql.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::mirror {

Result<std::vector<std::string>> sample_rows(storage::Database& database, const ResourceFacts& facts,
                                             std::uint64_t most, double random)
{
    std::vector<std::string> keys;
    if (facts.rows == 0) {
        return keys;  // before its first row a table has no states; details are not `published` until all are there
    }
    // Ordered by a hash of the ordinal (Knuth's multiplicative one), so that neighbours are not preferred.
    const auto sql = fmt::format("SELECT {} FROM {} ORDER BY ((ord + ?1) * 2654435761) & 1048575, ord LIMIT ?2",
                                 key_list(facts.key.size(), "k{}"), states_of(facts));
    constexpr std::uint64_t no_limit = 1u << 30;
    const auto add = [&](const storage::Statement& row) { keys.push_back(key_of(row, 0, facts.key.size()).to_json()); };
    SHELFD_TRY(
        storage::each_row(database, sql, add, static_cast<std::int64_t>(random * 1'048'576), std::min(most, no_limit)));
    return keys;
}

}  // namespace shelfd::mirror
