// The tables in which a mirror speaks of itself, and the view that says how fresh it is.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "storage/sqlite.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

namespace shelfd::mirror {

// In PRAGMA user_version. Readers may rely on what is there; a later version only adds.
inline constexpr std::int64_t schema_version = 1;
// A file of this minor has all that `find_missing_object` looks for.
inline constexpr int full_schema_minor = 12;

enum class SchemaFound {
    none,  // an empty file
    ours,
    newer,    // by a later version of ours
    foreign,  // somebody else's tables
};

Result<SchemaFound> find_schema(storage::Database& database);

// Everything a mirror has before the first resource, in one transaction.
Result<void> create_schema(storage::Database& database, std::string_view library, std::string_view feed,
                           std::string_view now);

// Gives a file by an earlier version of ours what it lacks; writes nothing when that is nothing. In the caller's
// transaction.
Result<void> update_schema(storage::Database& database);

// The first table, view or index that this program made and that is not there any more; "" = all are. Cheap.
Result<std::string> find_missing_object(storage::Database& database);

// The name of a change feed that begins now: positions of one feed mean nothing in another.
inline std::string feed_name(Instant now)
{
    return fmt::format("{:x}", now.micros());
}

// Key in `_meta`: the file that was set aside for this one, because it was broken.
inline constexpr std::string_view rebuilt_from = "rebuilt_from";

// Of `_meta`.
Result<std::optional<std::string>> read_meta(storage::Database& database, std::string_view key);
Result<void> write_meta(storage::Database& database, std::string_view key, std::string_view value);

// One value of one row, as text; nothing when there is no row or it is NULL.
Result<std::optional<std::string>> read_value(storage::Database& database, std::string_view sql,
                                              std::string_view parameter);

Result<bool> has_table(storage::Database& database, const std::string& table);

// The count that `sql` asks for; 0 where it finds no row.
Result<std::uint64_t> one_number(storage::Database& database, const std::string& sql);

}  // namespace shelfd::mirror
