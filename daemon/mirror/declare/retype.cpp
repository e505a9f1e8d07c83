#include "mirror/declare/retype.hpp"

#include "base/words/names.hpp"
#include "mirror/columns/columns.hpp"
#include "mirror/columns/item_reader.hpp"
#include "mirror/columns/key_sets.hpp"
#include "mirror/columns/member_places.hpp"
#include "mirror/columns/row_writer.hpp"
#include "mirror/details/details.hpp"
#include "mirror/json/item_key.hpp"
#include "mirror/json/page.hpp"
#include "mirror/json/text.hpp"
#include "mirror/records/runs.hpp"
#include "mirror/values/names.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <functional>
#include <vector>

namespace shelfd::mirror {

namespace {

Result<std::size_t> find_column(const Columns& columns, const ResourceFacts& facts, const std::string& wanted)
{
    for (std::size_t place = 0; place < columns.size(); ++place) {
        if (columns[place].name != wanted && columns[place].key != wanted) {
            continue;
        }
        if (place < columns.key_size()) {
            return Error(ErrorKind::usage,
                         fmt::format("{}.{} is part of the key: its kind changes automatically when necessary",
                                     facts.name, wanted));
        }
        return place;
    }
    std::vector<std::string> names;
    for (std::size_t place = columns.key_size(); place < columns.size(); ++place) {
        names.push_back(columns[place].name);
    }
    return Error(ErrorKind::not_found, fmt::format("{} has no column {} (it has: {})", facts.name, wanted,
                                                   list_nearest_first(wanted, std::move(names))));
}

// All rows, as the items from which they were made.
class Items {
public:
    using Take = std::function<Result<void>(const PageItem& item, const std::vector<Member>& members)>;

    Items(storage::Database& database, const ResourceFacts& facts, const Columns& columns)
        : database_(database), facts_(facts), columns_(columns)
    {
    }

    Result<void> each(const Take& take)
    {
        ItemReader reader(database_, facts_.name, columns_);
        std::vector<Member> members;
        const auto sql = fmt::format("SELECT {} FROM {}", columns_.names(), identifier(facts_.name));
        return storage::each_row(database_, sql, [&](const storage::Statement& row) -> Result<void> {
            SHELFD_TRY_ASSIGN(read, reader.members(row, 0));
            const auto text = to_json(read);
            members.clear();
            if (const char* broken = parse_members(text, members)) {
                return Error(ErrorKind::corrupt, fmt::format("a row of {} is not an item: {}", facts_.name, broken));
            }
            PageItem item;
            item.text = text;
            item.key = key_of(row, 0, facts_.key.size());
            return take(item, members);
        });
    }

private:
    storage::Database& database_;
    const ResourceFacts& facts_;
    const Columns& columns_;
};

Result<Kind> kind_of_values(Items& items, const Column& column)
{
    ValueClasses classes = is_null;
    std::string key;
    const auto look = [&](const PageItem&, const std::vector<Member>& members) -> Result<void> {
        for (const auto& member : members) {
            unescape(member.key, key);
            if (key == column.key) {
                classes |= class_of(member);
            }
        }
        return {};
    };
    SHELFD_TRY(items.each(look));
    return kind_for(classes);
}

Result<std::uint64_t> write_anew(storage::Database& database, const ResourceFacts& facts, Items& items,
                                 Columns& columns)
{
    SHELFD_TRY_ASSIGN(shapes, KeySets::load(database, facts.name));
    const auto copy = "_rebuild_" + facts.name;
    SHELFD_TRY(database.execute(columns.create_table_sql(copy, facts.detail_of)));
    Layouts layouts(columns, shapes);
    RowWriter writer(database, copy, columns);
    std::uint64_t rows = 0;
    const auto write = [&](const PageItem& item, const std::vector<Member>& members) -> Result<void> {
        if (writer.rows().is_full()) {
            SHELFD_TRY(writer.write());
            writer.rows().clear();
        }
        ++rows;
        layouts.forget_many();
        writer.take(item, members, layouts.of(members));
        return {};
    };
    SHELFD_TRY(items.each(write));
    SHELFD_TRY(writer.write());
    SHELFD_TRY(database.execute(
        fmt::format("DROP TABLE {0}; ALTER TABLE {1} RENAME TO {0}", identifier(facts.name), identifier(copy))));
    SHELFD_TRY(restore_fetched_at(database, facts));
    SHELFD_TRY(record_shapes(database, facts.name, shapes));
    return rows;
}

// The new kind fits all values found.
Result<void> forget_drift(storage::Database& database, const std::string& resource, const std::string& column)
{
    return storage::run(database, R"sql(DELETE FROM _drift WHERE resource = ? AND "column" = ?)sql", resource, column);
}

}  // namespace

Result<RetypeOutcome> retype_column(storage::Database& database, const ResourceFacts& facts, const std::string& column)
{
    SHELFD_TRY_ASSIGN(transaction, storage::Transaction::begin(database));
    SHELFD_TRY_ASSIGN(present, Columns::load(database, facts.name, facts.key));
    SHELFD_TRY_ASSIGN(place, find_column(present, facts, column));
    Items items(database, facts, present);
    SHELFD_TRY_ASSIGN(kind, kind_of_values(items, present[place]));
    RetypeOutcome outcome{std::string(to_string(present[place].kind)), std::string(to_string(kind)), 0};
    if (outcome.before == outcome.after) {
        return outcome;
    }
    auto columns = present;
    columns.store(place, kind);
    SHELFD_TRY_ASSIGN(rows, write_anew(database, facts, items, columns));
    outcome.rows = rows;
    SHELFD_TRY(record_columns(database, facts.name, columns, ""));
    SHELFD_TRY(forget_drift(database, facts.name, columns[place].name));
    SHELFD_TRY(transaction.commit());
    return outcome;
}

}  // namespace shelfd::mirror
