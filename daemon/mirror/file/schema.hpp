// The tables in which a mirror describes itself, and the view of its freshness.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "base/state/mirror_schema.hpp"
#include "storage/sqlite.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

namespace shelfd::mirror {

// PRAGMA user_version. Readers may rely on its objects; later minor versions only add some.
inline constexpr std::int64_t schema_version = own_mirror_schema.major;
// There is no earlier major version to come from. The next one replaces objects, so it must keep the former file until
// each table was proven complete in the new one: FileTrust is where files are set aside.
static_assert(own_mirror_schema.major == 1, "a new major version keeps the former file until the first proven passes");
// From this minor version on, a file has all objects that `find_missing_object` checks.
inline constexpr int full_schema_minor = 12;

enum class SchemaFound {
    none,  // an empty file
    ours,
    newer,    // written by a later major version, or by one whose files this version must not use (min_reader)
    foreign,  // tables of another program
};

Result<SchemaFound> find_schema(storage::Database& database);

// Creates all objects that a mirror has before its first resource, in one transaction.
Result<void> create_schema(storage::Database& database, std::string_view library, std::string_view feed,
                           std::string_view now);

// Adds what a file of an earlier version lacks; writes nothing if it lacks nothing. In the caller's transaction.
Result<void> update_schema(storage::Database& database);

// Returns the first table, view or index that this program created and that is missing; "" = none. Cheap.
Result<std::string> find_missing_object(storage::Database& database);

// Name of a change feed that begins now. Positions of one feed are invalid in another.
inline std::string feed_name(Instant now)
{
    return fmt::format("{:x}", now.micros());
}

// Key in `_meta`: path of the broken file that this one replaced.
inline constexpr std::string_view rebuilt_from = "rebuilt_from";

// Rows of `_meta`.
Result<std::optional<std::string>> read_meta(storage::Database& database, std::string_view key);
Result<void> write_meta(storage::Database& database, std::string_view key, std::string_view value);

// Returns one value of one row as text; an empty optional if there is no row or it is NULL.
Result<std::optional<std::string>> read_value(storage::Database& database, std::string_view sql,
                                              std::string_view parameter);

Result<bool> has_table(storage::Database& database, const std::string& table);

// Returns the number that `sql` selects; 0 if there is no row.
Result<std::uint64_t> one_number(storage::Database& database, const std::string& sql);

}  // namespace shelfd::mirror
