// What a mirror keeps about itself as a whole, value by value.
#include "mirror/file/schema.hpp"

namespace shelfd::mirror {

Result<std::optional<std::string>> read_value(storage::Database& database, std::string_view sql,
                                              std::string_view parameter)
{
    auto statement = database.prepare(sql);
    if (!statement) {
        return std::move(statement).error();
    }
    statement->bind(1, parameter);
    auto row = statement->step();
    if (!row) {
        return std::move(row).error();
    }
    return *row ? statement->optional_text(0) : std::nullopt;
}

Result<std::optional<std::string>> read_meta(storage::Database& database, std::string_view key)
{
    return read_value(database, "SELECT value FROM _meta WHERE key = ?", key);
}

Result<void> write_meta(storage::Database& database, std::string_view key, std::string_view value)
{
    // Writes nothing when nothing changes: an idle mirror stays as it is, byte for byte.
    auto statement = database.prepare(R"sql(
        INSERT INTO _meta (key, value) VALUES (?1, ?2)
        ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value IS NOT excluded.value
    )sql");
    if (!statement) {
        return std::move(statement).error();
    }
    statement->bind(1, key).bind(2, value);
    return statement->run();
}

Result<bool> has_table(storage::Database& database, const std::string& table)
{
    auto found = read_value(database, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", table);
    if (!found) {
        return std::move(found).error();
    }
    return found->has_value();
}

Result<std::uint64_t> one_number(storage::Database& database, const std::string& sql)
{
    auto rows = database.prepare(sql);
    if (!rows) {
        return std::move(rows).error();
    }
    auto row = rows->step();
    return row ? Result<std::uint64_t>(*row ? static_cast<std::uint64_t>(rows->integer(0)) : 0)
               : std::move(row).error();
}

}  // namespace shelfd::mirror
