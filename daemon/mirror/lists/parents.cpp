#include "mirror/lists/parents.hpp"

#include "mirror/columns/columns.hpp"
#include "mirror/json/item_key.hpp"
#include "mirror/values/names.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::mirror {
namespace {

// False if the view freshness reports "filling".
Result<bool> is_complete(storage::Database& database, const std::string& resource)
{
    SHELFD_TRY_ASSIGN(filling, storage::read_number(database, R"sql(
        SELECT 1 FROM _resources
        WHERE resource = ? AND begins_at IS NOT NULL AND (coalesce(filled_from, complete_from) IS NULL
            OR coalesce(filled_from, complete_from) > begins_at OR EXISTS (SELECT 1 FROM _slices s
                WHERE s.resource = _resources.resource AND s.as_of IS NOT NULL AND s.proven_as_of IS NULL
                    AND s.first >= CAST(strftime('%s', complete_to) AS INTEGER)
                    AND s.first + coalesce(late_after, 0) < CAST(strftime('%s', 'now') AS INTEGER)))
    )sql",
                                                    resource));
    return filling == 0;
}

}  // namespace

Result<ParentRows> parent_rows(storage::Database& database, const std::string& resource, const std::string& member)
{
    ParentRows parents;
    SHELFD_TRY_ASSIGN(facts, load_facts(database, resource));
    if (!facts || !facts->published || (!facts->axis.empty() && !facts->as_of)) {
        return parents;
    }
    parents.as_of = facts->as_of;
    parents.lacks_as_of = facts->proven_as_of ? facts->proven_as_of : facts->as_of;
    SHELFD_TRY_ASSIGN(complete, is_complete(database, resource));
    parents.complete = complete;
    if (!parents.as_of || facts->rows == 0) {
        return parents;
    }
    SHELFD_TRY_ASSIGN(columns, Columns::load(database, resource, facts->key));
    const auto& all = columns.all();
    const auto column = std::find_if(all.begin(), all.end(), [&](const Column& one) { return one.key == member; });
    if (column == all.end() || !column->stored) {
        return Error(ErrorKind::config, fmt::format("no row of {} has the member {}, which names the lists; correct "
                                                    "key of `parent`",
                                                    resource, member));
    }
    const auto name = identifier(column->name);
    const auto sql = fmt::format(
        "SELECT DISTINCT {0}, typeof({0}) IN ('integer', 'text') FROM {1} WHERE {0} IS NOT NULL ORDER BY {0}", name,
        identifier(resource));
    SHELFD_TRY(storage::each_row(database, sql, [&](const storage::Statement& row) -> Result<void> {
        if (row.integer(1) == 0) {
            return Error(
                ErrorKind::config,
                fmt::format(
                    "{} of {} is neither a text nor a whole number, so it names no list; correct key of `parent`",
                    member, resource));
        }
        parents.keys.push_back(key_of(row, 0, 1).to_json());
        return {};
    }));
    return parents;
}

Result<std::int64_t> number_of(storage::Database& database, const std::string& resource, const std::string& parent)
{
    std::optional<std::int64_t> known;
    SHELFD_TRY(storage::each_row(
        database, "SELECT first FROM _slices WHERE resource = ? AND name = ?",
        [&](const storage::Statement& row) { known = known.value_or(row.integer(0)); }, resource, parent));
    if (known) {
        return *known;
    }
    return storage::read_number(database, "SELECT past FROM _slices WHERE resource = ? ORDER BY first DESC LIMIT 1",
                                resource);
}

}  // namespace shelfd::mirror
