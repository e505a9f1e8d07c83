#include "mirror/staging/tables.hpp"

#include "mirror/details/details.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/records/row_state_sql.hpp"
#include "mirror/rows/states.hpp"
#include "mirror/values/names.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace shelfd::mirror {

namespace {

// The name of a table while it is built again.
std::string copy_of(const std::string& table)
{
    return "_rebuild_" + table;
}

// `create` creates the table `copy_of(table)`; `columns` are those of both tables.
Result<void> rebuild(storage::Database& database, const std::string& table, const std::string& create,
                     const std::string& columns)
{
    return database.execute(fmt::format("{2}; INSERT INTO {1} ({3}) SELECT {3} FROM {0}; DROP TABLE {0}; ALTER TABLE "
                                        "{1} RENAME TO {0}",
                                        identifier(table), identifier(copy_of(table)), create, columns));
}

Result<void> rebuild_states(storage::Database& database, const ResourceFacts& facts, const std::string& table)
{
    return rebuild(
        database, table, state_definition(copy_of(table), facts.state_shape()),
        fmt::format("{}, hash, ord, missed{}", key_list(facts.key.size(), "k{}"), facts.axis.empty() ? "" : ", place"));
}

}  // namespace

Result<void> add_columns(storage::Database& database, const ResourceFacts& facts, const std::string& table,
                         const Columns& columns, const std::vector<std::size_t>& added, std::uint64_t rows)
{
    // SQLite parses the whole schema again for each column: with 1,900 columns that takes as long as writing some
    // hundred rows of such a table.
    constexpr std::uint64_t rows_a_column = 200;
    constexpr std::size_t few = 16;
    if (added.size() > few && rows / rows_a_column < added.size() && facts.detail_of.empty()) {
        std::string before;
        for (std::size_t place = 0; place < columns.size(); ++place) {
            if (columns[place].stored && std::find(added.begin(), added.end(), place) == added.end()) {
                before += identifier(columns[place].name) + ", ";
            }
        }
        return rebuild(database, table, columns.create_table_sql(copy_of(table), facts.detail_of),
                       before + "_shape, _exact");
    }
    for (const auto place : added) {
        SHELFD_TRY(database.execute(
            fmt::format("ALTER TABLE {} ADD COLUMN {}", identifier(table), column_definition(columns[place]))));
    }
    return {};
}

Result<void> create_staging(storage::Database& database, const ResourceFacts& facts, const Columns& columns)
{
    SHELFD_TRY(database.execute(columns.create_table_sql(staging_name(facts.name), facts.detail_of)));
    return database.execute(state_definition(seen_name(facts.name), facts.state_shape()));
}

Result<void> drop_staging(storage::Database& database, const std::string& resource)
{
    return database.execute(fmt::format("DROP TABLE IF EXISTS {}; DROP TABLE IF EXISTS {}",
                                        identifier(staging_name(resource)), identifier(seen_name(resource))));
}

Result<void> drop_all_staging(storage::Database& database)
{
    const auto prefix = staging_name("");
    constexpr const char* sql = "SELECT substr(name, length(?1) + 1) FROM sqlite_master WHERE type = 'table' "
                                "AND substr(name, 1, length(?1)) = ?1";
    SHELFD_TRY_ASSIGN(left_over, storage::read_texts(database, sql, prefix));
    for (const auto& resource : left_over) {
        SHELFD_TRY(drop_staging(database, resource));
    }
    return {};
}

Result<void> rebuild_key(storage::Database& database, const ResourceFacts& facts, const Columns& columns)
{
    // The table does not have columns that only the pass has.
    SHELFD_TRY_ASSIGN(published, Columns::load(database, facts.name, facts.key));
    for (std::size_t place = 0; place < columns.key_size(); ++place) {
        published.store(place, columns[place].kind);
    }
    SHELFD_TRY(rebuild(database, facts.name, published.create_table_sql(copy_of(facts.name), facts.detail_of),
                       published.names()));
    SHELFD_TRY(rebuild_states(database, facts, state_name(facts.name)));
    SHELFD_TRY_ASSIGN(note,
                      database.prepare(R"sql(UPDATE _columns SET kind = ?3 WHERE resource = ?1 AND "key" = ?2)sql"));
    for (std::size_t place = 0; place < columns.key_size(); ++place) {
        SHELFD_TRY(storage::run(note, facts.name, columns[place].key, to_string(columns[place].kind)));
    }
    SHELFD_TRY(storage::run(database, "UPDATE _resources SET integer_key = 0 WHERE resource = ?", facts.name));
    return restore_fetched_at(database, facts);
}

Result<void> rebuild_staging_key(storage::Database& database, const ResourceFacts& facts, const Columns& columns)
{
    const auto table = staging_name(facts.name);
    SHELFD_TRY(rebuild(database, table, columns.create_table_sql(copy_of(table), facts.detail_of), columns.names()));
    return rebuild_states(database, facts, seen_name(facts.name));
}

}  // namespace shelfd::mirror
