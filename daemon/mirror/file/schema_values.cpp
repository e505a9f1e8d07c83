// Single values that a mirror stores about itself.
#include "mirror/file/schema.hpp"

#include "storage/query.hpp"

namespace shelfd::mirror {

Result<std::optional<std::string>> read_value(storage::Database& database, std::string_view sql,
                                              std::string_view parameter)
{
    SHELFD_TRY_ASSIGN(statement, database.prepare(sql));
    statement.bind(1, parameter);
    SHELFD_TRY_ASSIGN(row, statement.step());
    return row ? statement.optional_text(0) : std::nullopt;
}

Result<std::optional<std::string>> read_meta(storage::Database& database, std::string_view key)
{
    return read_value(database, "SELECT value FROM _meta WHERE key = ?", key);
}

Result<void> write_meta(storage::Database& database, std::string_view key, std::string_view value)
{
    // Writes nothing if nothing changes: the file of an idle mirror stays identical.
    return storage::run(database, R"sql(
        INSERT INTO _meta (key, value) VALUES (?1, ?2)
        ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value IS NOT excluded.value
    )sql",
                        key, value);
}

Result<bool> has_table(storage::Database& database, const std::string& table)
{
    return database.has_table(table);
}

Result<std::uint64_t> one_number(storage::Database& database, const std::string& sql)
{
    SHELFD_TRY_ASSIGN(number, storage::read_number(database, sql));
    return static_cast<std::uint64_t>(number);
}

}  // namespace shelfd::mirror
