#include "mirror/declare/retype.hpp"

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
            return Error(ErrorKind::usage, fmt::format("{}.{} is part of the key: it changes by itself when it has to",
                                                       facts.name, wanted));
        }
        return place;
    }
    return Error(ErrorKind::not_found, fmt::format("{} has no column {}", facts.name, wanted));
}

// Every row as the item it was made from.
class Items {
public:
    using Take = std::function<Result<void>(const PageItem& item, const std::vector<Member>& members)>;

    Items(storage::Database& database, const ResourceFacts& facts, const Columns& columns)
        : database_(database), facts_(facts), columns_(columns)
    {
    }

    Result<void> each(const Take& take)
    {
        auto rows = database_.prepare(fmt::format("SELECT {} FROM {}", columns_.names(), identifier(facts_.name)));
        if (!rows) {
            return std::move(rows).error();
        }
        ItemReader reader(database_, facts_.name, columns_);
        std::vector<Member> members;
        for (;;) {
            auto row = rows->step();
            if (!row || !*row) {
                return row ? Result<void>() : std::move(row).error();
            }
            auto read = reader.members(*rows, 0);
            if (!read) {
                return std::move(read).error();
            }
            const auto text = to_json(*read);
            members.clear();
            if (const char* broken = take_members(text, members)) {
                return Error(ErrorKind::corrupt, fmt::format("a row of {} is no item: {}", facts_.name, broken));
            }
            PageItem item;
            item.text = text;
            item.key = key_of(*rows, 0, facts_.key.size());
            if (auto taken = take(item, members); !taken) {
                return taken;
            }
        }
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
    if (auto looked = items.each(look); !looked) {
        return std::move(looked).error();
    }
    return kind_for(classes);
}

Result<std::uint64_t> write_anew(storage::Database& database, const ResourceFacts& facts, Items& items,
                                 Columns& columns)
{
    auto shapes = Shapes::load(database, facts.name);
    if (!shapes) {
        return std::move(shapes).error();
    }
    const auto copy = "_rebuild_" + facts.name;
    if (auto made = database.execute(
            fmt::format("CREATE TABLE {} ({})", identifier(copy), columns.definition(facts.detail_of)));
        !made) {
        return std::move(made).error();
    }
    Layouts layouts(columns, *shapes);
    RowWriter writer(database, copy, columns);
    std::uint64_t rows = 0;
    const auto write = [&](const PageItem& item, const std::vector<Member>& members) -> Result<void> {
        if (writer.rows().is_full()) {
            if (auto written = writer.write(); !written) {
                return written;
            }
            writer.rows().clear();
        }
        ++rows;
        layouts.forget_many();
        writer.take(item, members, layouts.of(members));
        return {};
    };
    if (auto taken = items.each(write); !taken) {
        return std::move(taken).error();
    }
    if (auto written = writer.write(); !written) {
        return std::move(written).error();
    }
    auto done = database.execute(
        fmt::format("DROP TABLE {0}; ALTER TABLE {1} RENAME TO {0}", identifier(facts.name), identifier(copy)));
    if (!done) {
        return std::move(done).error();
    }
    done = restore_fetched_at(database, facts);
    if (done) {
        done = record_shapes(database, facts.name, *shapes);
    }
    return done ? Result<std::uint64_t>(rows) : std::move(done).error();
}

// What was found in it is what it is made for now.
Result<void> forget_drift(storage::Database& database, const std::string& resource, const std::string& column)
{
    auto forget = database.prepare(R"sql(DELETE FROM _drift WHERE resource = ? AND "column" = ?)sql");
    if (!forget) {
        return std::move(forget).error();
    }
    forget->bind(1, std::string_view(resource)).bind(2, std::string_view(column));
    return forget->run();
}

}  // namespace

Result<RetypeOutcome> retype_column(storage::Database& database, const ResourceFacts& facts, const std::string& column)
{
    auto transaction = storage::Transaction::begin(database);
    if (!transaction) {
        return std::move(transaction).error();
    }
    auto present = Columns::load(database, facts.name, facts.key);
    if (!present) {
        return std::move(present).error();
    }
    auto place = find_column(*present, facts, column);
    if (!place) {
        return std::move(place).error();
    }
    Items items(database, facts, *present);
    auto kind = kind_of_values(items, (*present)[*place]);
    if (!kind) {
        return std::move(kind).error();
    }
    RetypeOutcome outcome{std::string(to_string((*present)[*place].kind)), std::string(to_string(*kind)), 0};
    if (outcome.before == outcome.after) {
        return outcome;
    }
    auto columns = *present;
    columns.store(*place, *kind);
    auto rows = write_anew(database, facts, items, columns);
    if (!rows) {
        return std::move(rows).error();
    }
    outcome.rows = *rows;
    if (auto noted = record_columns(database, facts.name, columns, ""); !noted) {
        return std::move(noted).error();
    }
    if (auto forgotten = forget_drift(database, facts.name, columns[*place].name); !forgotten) {
        return std::move(forgotten).error();
    }
    auto committed = transaction->commit();
    return committed ? Result<RetypeOutcome>(std::move(outcome)) : std::move(committed).error();
}

}  // namespace shelfd::mirror
