#include "mirror/rows/deleted_rows.hpp"

#include "mirror/columns/columns.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/records/row_state_sql.hpp"
#include "mirror/values/names.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace shelfd::mirror {

namespace {

struct TableColumn {
    std::string name;
    std::string type;
    std::int64_t key_part = 0;  // from 1; 0 = not part of the key
};
using TableColumns = std::vector<TableColumn>;

constexpr const char* own_columns = "_deleted_at DATETIME, _deleted_run TEXT";

Result<TableColumns> columns_of(storage::Database& database, const std::string& table)
{
    TableColumns columns;
    SHELFD_TRY(storage::each_row(
        database, "SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid",
        [&](const storage::Statement& row) {
            columns.push_back({std::string(row.text(0)), std::string(row.text(1)), row.integer(2)});
        },
        table));
    return columns;
}

const TableColumn* find(const TableColumns& columns, const std::string& name)
{
    const auto found = std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return c.name == name; });
    return found == columns.end() ? nullptr : &*found;
}

std::string definition(const TableColumn& column)
{
    return identifier(column.name) + (column.type.empty() ? "" : " " + column.type);
}

std::string key_names(const TableColumns& columns)
{
    std::string key;
    for (const auto& column : columns) {
        if (column.key_part > 0) {
            key += (key.empty() ? "" : ", ") + identifier(column.name);
        }
    }
    return key;
}

// "a", "b", each followed by a comma.
std::string names_of(const TableColumns& columns)
{
    std::string names;
    for (const auto& column : columns) {
        names += identifier(column.name) + ", ";
    }
    return names;
}

std::string create(const std::string& table, const TableColumns& columns)
{
    std::string inside;
    for (const auto& column : columns) {
        inside += definition(column) + ", ";
    }
    return fmt::format("CREATE TABLE {} ({}{}, PRIMARY KEY ({}))", identifier(table), inside, own_columns,
                       key_names(columns));
}

// Removes the type of columns whose type changed since rows were stored: a typed column would turn "001" into 1.
Result<void> rebuild(storage::Database& database, const std::string& table, const TableColumns& columns)
{
    const auto copy = "_rebuild_" + table;
    const auto names = names_of(columns) + "_deleted_at, _deleted_run";
    return database.execute(fmt::format("{0}; INSERT INTO {1} ({2}) SELECT {2} FROM {3}; DROP TABLE {3}; ALTER TABLE "
                                        "{1} RENAME TO {3}",
                                        create(copy, columns), identifier(copy), names, identifier(table)));
}

void bind_value(storage::Statement& to, int parameter, const storage::Statement& from, int column)
{
    switch (from.storage_class(column)) {
    case storage::StorageClass::integer: to.bind(parameter, from.integer(column)); break;
    case storage::StorageClass::real: to.bind(parameter, from.real(column)); break;
    case storage::StorageClass::null: to.bind_null(parameter); break;
    case storage::StorageClass::text:
    case storage::StorageClass::blob: to.bind(parameter, from.text(column)); break;  // blobs are never stored
    }
}

// Returns false if `before` could not be read.
Result<bool> copy_rows(storage::Database& database, const std::string& table, const std::string& names,
                       storage::Database& before)
{
    auto from = before.prepare(fmt::format("SELECT {} FROM {}", names, identifier(table)));
    if (!from) {
        return false;
    }
    std::string places;
    for (int column = 0; column < from->columns(); ++column) {
        places += column == 0 ? "?" : ", ?";
    }
    SHELFD_TRY_ASSIGN(
        to, database.prepare(fmt::format("INSERT INTO {} ({}) VALUES ({})", identifier(table), names, places)));
    for (;;) {
        auto row = from->step();
        if (!row || !*row) {
            return row.has_value();
        }
        for (int column = 0; column < from->columns(); ++column) {
            bind_value(to, column + 1, *from, column);
        }
        SHELFD_TRY(to.run());
    }
}

Result<void> mark(storage::Database& database, const std::string& resource)
{
    const auto name = std::string(deleted_rows_mark) + resource;
    SHELFD_TRY_ASSIGN(marked, read_meta(database, name));
    return marked ? Result<void>() : write_meta(database, name, "1");
}

}  // namespace

Result<void> copy_deleted(storage::Database& database, const std::string& resource, storage::Database& before)
{
    const auto table = deleted_name(resource);
    auto columns = columns_of(before, table);
    if (!columns || columns->empty()) {
        return {};
    }
    std::erase_if(*columns, [](const auto& c) { return c.name == "_deleted_at" || c.name == "_deleted_run"; });
    SHELFD_TRY(database.execute(
        fmt::format("SAVEPOINT copying; DROP TABLE IF EXISTS {}; {}", identifier(table), create(table, *columns))));
    // After an error the whole transaction is rolled back, including this savepoint.
    SHELFD_TRY_ASSIGN(copied, copy_rows(database, table, names_of(*columns) + "_deleted_at, _deleted_run", before));
    SHELFD_TRY(database.execute(copied ? "RELEASE copying" : "ROLLBACK TO copying; RELEASE copying"));
    return copied ? align_deleted(database, resource, resource) : Result<void>();
}

Result<void> align_deleted(storage::Database& database, const std::string& resource, const std::string& model)
{
    const auto table = deleted_name(resource);
    SHELFD_TRY(mark(database, resource));
    SHELFD_TRY_ASSIGN(wanted, columns_of(database, model));
    SHELFD_TRY_ASSIGN(there, columns_of(database, table));
    if (there.empty()) {
        return database.execute(create(table, wanted));
    }
    bool other_types = false;
    for (auto& column : wanted) {
        const auto* known = find(there, column.name);
        if (known != nullptr) {
            if (known->type != column.type && !known->type.empty()) {
                other_types = true;
            }
            column.type = known->type == column.type ? known->type : "";
            continue;
        }
        SHELFD_TRY(
            database.execute(fmt::format("ALTER TABLE {} ADD COLUMN {}", identifier(table), definition(column))));
    }
    return other_types ? rebuild(database, table, wanted) : Result<void>();
}

Result<void> keep_deleted(storage::Database& database, const ResourceFacts& facts, const std::string& condition,
                          std::string_view run_id, std::string_view at)
{
    SHELFD_TRY(align_deleted(database, facts.name, facts.name));
    SHELFD_TRY_ASSIGN(columns, columns_of(database, facts.name));
    const auto names = names_of(columns);
    const auto sql = fmt::format("INSERT OR REPLACE INTO {} ({}_deleted_at, _deleted_run) SELECT {}?, ? FROM {} WHERE "
                                 "({}) IN (SELECT {} FROM {} WHERE {})",
                                 identifier(deleted_name(facts.name)), names, names, identifier(facts.name),
                                 key_names(columns), key_list(facts.key.size(), "k{}"), states_of(facts), condition);
    return storage::run(database, sql, at, run_id);
}

Result<void> forget_returned(storage::Database& database, const ResourceFacts& facts)
{
    const auto table = deleted_name(facts.name);
    SHELFD_TRY_ASSIGN(there, has_table(database, table));
    if (!there) {
        return {};
    }
    const auto staging = staging_name(facts.name);
    SHELFD_TRY(align_deleted(database, facts.name, staging));
    SHELFD_TRY_ASSIGN(columns, columns_of(database, staging));
    const auto key = key_names(columns);
    return database.execute(fmt::format("DELETE FROM {0} WHERE ({1}) IN (SELECT {1} FROM {2})", identifier(table), key,
                                        identifier(staging)));
}

}  // namespace shelfd::mirror
