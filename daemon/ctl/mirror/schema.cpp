#include "ctl/mirror/schema.hpp"

#include "ctl/comparison/text_columns.hpp"
#include "ctl/mirror/mirror_format.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::ctl {
namespace {

// Internal tables begin with an underscore; `sqlite_…` belongs to SQLite.
constexpr const char* tables_sql = R"sql(
    SELECT m.name, f.state, f.as_of, coalesce(f.rows, 0)
    FROM sqlite_master m LEFT JOIN freshness f ON f.resource = m.name
    WHERE m.type = 'table' AND substr(m.name, 1, 1) <> '_' AND m.name NOT LIKE 'sqlite\_%' ESCAPE '\'
    ORDER BY m.name
)sql";

constexpr const char* columns_sql = R"sql(
    SELECT t.name, t.type, c."key", c.kind, c.since_run, r.started_at, t.pk
    FROM pragma_table_info(?1) t
        LEFT JOIN _columns c ON c.resource = ?1 AND c."column" = t.name
        LEFT JOIN _runs r ON r.run_id = c.since_run AND r.resource = ?1
    ORDER BY t.cid
)sql";

constexpr const char* drift_sql = R"sql(
    SELECT "column", found, items, item_key, sample, first_seen, last_seen FROM _drift WHERE resource = ?
    ORDER BY "column", found
)sql";

std::uint64_t count(const storage::Statement& row, int column)
{
    return static_cast<std::uint64_t>(std::max<std::int64_t>(row.integer(column), 0));
}

Result<void> read_columns(storage::Database& database, TableView& table)
{
    SHELFD_TRY(storage::each_row(
        database, columns_sql,
        [&](const storage::Statement& row) {
            auto& column = table.columns.emplace_back();
            column.name = row.text(0);
            column.declared = row.text(1);
            column.key = row.text(2);
            column.kind = row.text(3);
            column.since_run = row.text(4);
            column.since = row.text(5);
            column.in_key = row.integer(6);
        },
        table.name));
    return storage::each_row(
        database, drift_sql,
        [&](const storage::Statement& row) {
            const auto column = std::find_if(table.columns.begin(), table.columns.end(),
                                             [&](const auto& one) { return one.name == row.text(0); });
            if (column != table.columns.end()) {
                column->drift.push_back({std::string(row.text(1)), count(row, 2), std::string(row.text(3)),
                                         std::string(row.text(4)), std::string(row.text(5)), std::string(row.text(6))});
            }
        },
        table.name);
}

Result<void> survey_texts(storage::Database& database, TableView& table)
{
    std::vector<std::string> texts;
    for (const auto& column : table.columns) {
        if (column.kind == "text") {
            texts.push_back(column.name);
        }
    }
    SHELFD_TRY_ASSIGN(contents, find_text_columns(database, table.name, texts));
    for (auto& column : table.columns) {
        if (const auto found = contents.find(column.name); found != contents.end()) {
            column.contents = found->second;
        }
    }
    return {};
}

Result<void> read_views(storage::Database& database, MirrorSchema& schema)
{
    return storage::each_row(database,
                             "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c "
                             "WHERE m.type = 'view' ORDER BY m.name, c.cid",
                             [&](const storage::Statement& row) {
                                 if (schema.views.empty() || schema.views.back().name != row.text(0)) {
                                     schema.views.push_back({std::string(row.text(0)), {}});
                                 }
                                 schema.views.back().columns.emplace_back(row.text(1));
                             });
}

}  // namespace

Result<MirrorSchema> read_mirror_schema(storage::Database& database, const std::string& table)
{
    MirrorSchema schema;
    SHELFD_TRY(storage::each_row(database, tables_sql, [&](const storage::Statement& row) {
        schema.tables.push_back(
            {std::string(row.text(0)), std::string(row.text(1)), std::string(row.text(2)), count(row, 3), {}});
    }));
    if (!table.empty()) {
        std::vector<std::string> known;
        for (const auto& one : schema.tables) {
            known.push_back(one.name);
        }
        std::erase_if(schema.tables, [&](const auto& one) { return one.name != table; });
        if (schema.tables.empty()) {
            return no_table(table, known);
        }
    } else {
        SHELFD_TRY(read_views(database, schema));
    }
    for (auto& one : schema.tables) {
        SHELFD_TRY(read_columns(database, one));
        SHELFD_TRY(survey_texts(database, one));
    }
    return schema;
}

}  // namespace shelfd::ctl
