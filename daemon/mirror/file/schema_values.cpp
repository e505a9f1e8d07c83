// What a mirror keeps about itself as a whole, value by value.
#include "mirror/file/schema.hpp"

namespace shelfd::mirror {

Result<std::optional<std::string>> read_value(storage::Database& database, std::string_view sql,
                                              std::string_view parameter)
{
    SHELFD_TRY_ASSIGN(statement, database.prepare(sql));
    statement.bind(1, parameter);
    auto row = statement.step();
    if (!row) {
        return std::move(row).error();
    }
    return *row ? statement.optional_text(0) : std::nullopt;
}

Result<std::optional<std::string>> read_meta(storage::Database& database, std::string_view key)
{
    return read_value(database, "SELECT value FROM _meta WHERE key = ?", key);
}

Result<void> write_meta(storage::Database& database, std::string_view key, std::string_view value)
{
    // Writes nothing when nothing changes: an idle mirror stays as it is, byte for byte.
    SHELFD_TRY_ASSIGN(statement, database.prepare(R"sql(
        INSERT INTO _meta (key, value) VALUES (?1, ?2)
        ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value IS NOT excluded.value
    )sql"));
    statement.bind(1, key).bind(2, value);
    return statement.run();
}

Result<bool> has_table(storage::Database& database, const std::string& table)
{
    SHELFD_TRY_ASSIGN(found,
                      read_value(database, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", table));
    return found.has_value();
}

Result<std::uint64_t> one_number(storage::Database& database, const std::string& sql)
{
    SHELFD_TRY_ASSIGN(rows, database.prepare(sql));
    SHELFD_TRY_ASSIGN(row, rows.step());
    return row ? static_cast<std::uint64_t>(rows.integer(0)) : 0;
}

}  // namespace shelfd::mirror
