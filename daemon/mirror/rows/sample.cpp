#include "mirror/rows/sample.hpp"

#include "mirror/json/item_key.hpp"
#include "mirror/values/names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::mirror {

Result<std::vector<std::string>> sample_rows(storage::Database& database, const ResourceFacts& facts,
                                             std::uint64_t most, double random)
{
    std::vector<std::string> keys;
    if (!facts.published) {
        return keys;
    }
    std::string columns;
    for (std::size_t part = 1; part <= facts.key.size(); ++part) {
        columns += fmt::format("{}k{}", part > 1 ? ", " : "", part);
    }
    // By a hash of the ordinal, so that neighbours are as likely as strangers (Knuth's multiplicative one).
    SHELFD_TRY_ASSIGN(
        rows, database.prepare(fmt::format("SELECT {} FROM {} ORDER BY ((ord + ?1) * 2654435761) & 1048575, ord "
                                           "LIMIT ?2",
                                           columns, identifier(state_name(facts.name)))));
    constexpr std::uint64_t no_limit = 1u << 30;
    rows.bind(1, static_cast<std::int64_t>(random * 1'048'576))
        .bind(2, static_cast<std::int64_t>(std::min(most, no_limit)));
    for (;;) {
        SHELFD_TRY_ASSIGN(row, rows.step());
        if (!row) {
            return keys;
        }
        keys.push_back(key_of(rows, 0, facts.key.size()).to_json());
    }
}

}  // namespace shelfd::mirror
