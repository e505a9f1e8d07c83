// Which rows a walk did not meet, and where they can be requested.
#include "mirror/columns/columns.hpp"
#include "mirror/columns/item_reader.hpp"
#include "mirror/deletions/held_rows.hpp"
#include "mirror/deletions/row_deletions.hpp"
#include "mirror/json/text.hpp"
#include "mirror/records/row_state_sql.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::mirror {
namespace {

// There may be thousands of kept rows for years.
constexpr std::size_t max_kept = 10;

// Returns the text of the first of these members that has one; "" if none has.
std::string first_text(const std::vector<ItemMember>& item, const std::vector<std::string>& members)
{
    std::string text;
    for (const auto& name : members) {
        const auto key = fmt::format("\"{}\"", name);
        const auto found = std::find_if(item.begin(), item.end(), [&](const auto& one) { return one.key == key; });
        if (found != item.end() && found->value.size() > 2 && found->value.starts_with('"')) {
            unescape(std::string_view(found->value).substr(1, found->value.size() - 2), text);
            return text;
        }
    }
    return text;
}

MissingRow::Standing standing_of(std::int64_t missed)
{
    if (missed == missed_and_kept) {
        return MissingRow::Standing::kept;
    }
    if (missed == missed_but_held) {
        return MissingRow::Standing::held;
    }
    return MissingRow::Standing::missing;
}

}  // namespace

Result<std::vector<MissingRow>> missing_rows(storage::Database& database, const ResourceFacts& facts,
                                             const std::string& within, std::size_t most,
                                             const std::vector<std::string>& address_members, std::int64_t salt)
{
    SHELFD_TRY_ASSIGN(columns, Columns::load(database, facts.name, facts.key));
    SHELFD_TRY_ASSIGN(finder, RowFinder::open(database, facts.name, facts.name, columns));
    // Newly missing rows first, because the others were requested before. Then by a hash of the ordinal that differs
    // each time: neighbours are often hidden or deleted together, so a sample shows more.
    const auto sql = fmt::format("SELECT {}, missed FROM {} WHERE NOT _seen(ord){} "
                                 "ORDER BY min(missed, 0) DESC, ((ord + ?) * 2654435761) & 65535, ord LIMIT ?",
                                 key_list(facts.key.size(), "k{}"), states_of(facts), within);
    std::vector<MissingRow> missing;
    std::size_t kept = 0;
    const auto add = [&](const storage::Statement& row) -> Result<bool> {
        const auto missed = row.integer(static_cast<int>(facts.key.size()));
        kept += missed == missed_and_kept ? 1U : 0U;
        if (kept > max_kept) {
            return false;
        }
        const auto key = key_of(row, 0, facts.key.size());
        SHELFD_TRY_ASSIGN(item, finder.find(key));
        missing.push_back({key.to_json(), item ? first_text(*item, address_members) : "", standing_of(missed)});
        return true;
    };
    SHELFD_TRY(storage::each_row(database, sql, add, salt, most));
    return missing;
}

}  // namespace shelfd::mirror
