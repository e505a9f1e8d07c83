#include "mirror/rows/lost_members.hpp"

#include "mirror/records/row_state_sql.hpp"
#include "mirror/values/names.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::mirror {
namespace {

bool has_member(const std::vector<ItemMember>& item, const std::string& key)
{
    return std::any_of(item.begin(), item.end(), [&key](const ItemMember& member) { return member.key == key; });
}

std::string keys_of(const Columns& columns, std::string_view each)
{
    std::string out;
    for (std::size_t part = 0; part < columns.key_size(); ++part) {
        out += (part == 0 ? "" : ", ") + std::string(each) + identifier(columns[part].name);
    }
    return out;
}

}  // namespace

LostMembers::LostMembers(storage::Database& database, const ResourceFacts& facts, RowFinder old, RowFinder staged,
                         std::string joined)
    : database_(database), facts_(facts), old_(std::move(old)), staged_(std::move(staged)), joined_(std::move(joined))
{
}

Result<LostMembers> LostMembers::open(storage::Database& database, const ResourceFacts& facts, const Columns& staged)
{
    const auto staging = staging_name(facts.name);
    SHELFD_TRY_ASSIGN(published, Columns::load(database, facts.name, facts.key));
    SHELFD_TRY_ASSIGN(old_rows, RowFinder::open(database, facts.name, facts.name, published));
    SHELFD_TRY_ASSIGN(new_rows, RowFinder::open(database, staging, facts.name, staged));
    auto joined =
        fmt::format("SELECT {}, t._shape, s._shape FROM {} s JOIN {} t ON ({}) = ({})", keys_of(staged, "s."),
                    identifier(staging), identifier(facts.name), keys_of(staged, "s."), keys_of(staged, "t."));
    return LostMembers(database, facts, std::move(old_rows), std::move(new_rows), std::move(joined));
}

Result<LostMembers::Items> LostMembers::find(const ItemKey& key)
{
    SHELFD_TRY_ASSIGN(was, old_.find(key));
    SHELFD_TRY_ASSIGN(is, staged_.find(key));
    const auto some = [](auto& found) { return found ? std::move(*found) : std::vector<ItemMember>(); };
    return Items(some(was), some(is));
}

Result<bool> LostMembers::loses(const ItemKey& key)
{
    SHELFD_TRY_ASSIGN(items, find(key));
    const auto& [was, is] = items;
    return std::any_of(was.begin(), was.end(), [&is](const auto& member) { return !has_member(is, member.key); });
}

Result<std::vector<ItemKey>> LostMembers::rows(std::size_t most)
{
    std::vector<ItemKey> found;
    const auto size = facts_.key.size();
    const auto look = [&](const storage::Statement& row) -> Result<bool> {
        const auto key = key_of(row, 0, size);
        const auto shapes = std::pair(row.integer(static_cast<int>(size)), row.integer(static_cast<int>(size) + 1));
        const bool has_shapes = shapes.first != 0 && shapes.second != 0;  // otherwise each row is one of its own
        const auto known = has_shapes ? known_.find(shapes) : known_.end();
        auto loses_some = known != known_.end() && known->second;
        if (known == known_.end()) {
            SHELFD_TRY_ASSIGN(looked, loses(key));
            loses_some = looked;
        }
        if (has_shapes) {
            known_.emplace(shapes, loses_some);
        }
        if (loses_some) {
            found.push_back(key);
        }
        return found.size() < most;
    };
    SHELFD_TRY(storage::each_row(database_, joined_, look));
    return found;
}

Result<std::string> LostMembers::restored(const ItemKey& key)
{
    SHELFD_TRY_ASSIGN(items, find(key));
    auto& [was, is] = items;
    for (auto& member : was) {
        if (!has_member(is, member.key)) {
            is.push_back(std::move(member));
        }
    }
    return to_json(is);
}

Result<void> drop_unchanged(storage::Database& database, const ResourceFacts& facts, const Columns& staged)
{
    const auto seen = identifier(seen_name(facts.name));
    const auto keys = key_list(facts.key.size(), "n.k{}");
    const auto same = fmt::format("SELECT {0} FROM {1} n JOIN {2} o ON ({0}) = ({3}) WHERE n.hash = o.hash", keys, seen,
                                  states_of(facts), key_list(facts.key.size(), "o.k{}"));
    return database.execute(fmt::format("DELETE FROM {0} WHERE ({1}) IN ({2}); DELETE FROM {3} WHERE ({4}) IN ({2})",
                                        identifier(staging_name(facts.name)), keys_of(staged, ""), same, seen,
                                        key_list(facts.key.size(), "k{}")));
}

}  // namespace shelfd::mirror
