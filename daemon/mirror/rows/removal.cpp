#include "mirror/rows/removal.hpp"

#include "mirror/columns/columns.hpp"
#include "mirror/records/row_state_sql.hpp"
#include "mirror/rows/deleted_rows.hpp"
#include "mirror/values/names.hpp"

#include <fmt/format.h>

namespace shelfd::mirror {

namespace {

// Fewer do not justify rewriting the states.
constexpr std::int64_t min_renumbered = 4096;

}  // namespace

Result<std::uint64_t> remove_rows(storage::Database& database, const ResourceFacts& facts, ChangeFeed& changes,
                                  const std::string& condition, const Removal& removal)
{
    SHELFD_TRY(changes.removed(condition));
    if (removal.keep) {
        SHELFD_TRY(keep_deleted(database, facts, condition, removal.run_id, removal.at));
    }
    SHELFD_TRY_ASSIGN(columns, Columns::load(database, facts.name, facts.key));
    std::string key;
    for (std::size_t part = 0; part < facts.key.size(); ++part) {
        key += (part == 0 ? "" : ", ") + identifier((columns)[part].name);
    }
    SHELFD_TRY(database.execute(fmt::format("DELETE FROM {} WHERE ({}) IN (SELECT {} FROM {} WHERE {})",
                                            identifier(facts.name), key, key_list(facts.key.size(), "k{}"),
                                            states_of(facts), condition)));
    const auto removed = static_cast<std::uint64_t>(database.changes());
    SHELFD_TRY(database.execute(fmt::format("DELETE FROM {} WHERE {}", states_of(facts), condition)));
    return removed;
}

Result<void> renumber_if_sparse(storage::Database& database, ResourceFacts& facts)
{
    const auto rows = static_cast<std::int64_t>(facts.rows);
    if (facts.next_ordinal <= 2 * rows + min_renumbered) {
        return {};
    }
    const auto key = key_list(facts.key.size(), "k{}");
    const auto same = key_list(facts.key.size(), "n.k{0} = s.k{0}", " AND ");
    SHELFD_TRY(database.execute(
        fmt::format("UPDATE {0} AS s SET ord = n.place FROM (SELECT {1}, row_number() OVER (ORDER BY {1}) - 1 AS place "
                    "FROM {0}) AS n WHERE {2}",
                    states_of(facts), key, same)));
    facts.next_ordinal = rows;
    return {};
}

}  // namespace shelfd::mirror
