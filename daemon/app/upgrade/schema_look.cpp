#include "app/upgrade/schema_look.hpp"

#include "base/words/digits.hpp"
#include "storage/opening.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace shelfd::app {
namespace {

namespace fs = std::filesystem;
using mirror::read_meta;
using mirror::read_value;
using mirror::SchemaFound;

bool has_content(const std::string& path)
{
    std::error_code failed;
    const auto size = fs::file_size(path, failed);
    return !failed && size > 0;
}

// A WAL with content is part of the file; without one, SQLite would create side files only to read.
Result<storage::Database> open_unchanged(const std::string& path)
{
    if (has_content(path + "-wal")) {
        return storage::Database::open(path, storage::OpenMode::read_only);
    }
    return storage::open_at_rest(path, "mirror");
}

Result<std::int64_t> user_version(storage::Database& database, const std::string& name)
{
    SHELFD_TRY_ASSIGN(statement, database.prepare(fmt::format("PRAGMA {}.user_version", name)));
    SHELFD_TRY(statement.step());
    return statement.integer(0);
}

}  // namespace

Result<SchemaLook> look_at_schema(const std::string& path)
{
    std::error_code failed;
    if (!fs::exists(path, failed) && !failed) {
        return Error(ErrorKind::not_found, fmt::format("there is no {}", path));
    }
    SHELFD_TRY_ASSIGN(database, open_unchanged(path));
    SHELFD_TRY_ASSIGN(is_attached, read_value(database, "SELECT 1 FROM pragma_database_list WHERE name = ?", "mirror"));
    SHELFD_TRY_ASSIGN(major, user_version(database, is_attached ? "mirror" : "main"));
    // Names without a schema are found in the attached file: the one in memory is empty.
    const auto tables = is_attached ? "mirror.sqlite_master" : "main.sqlite_master";
    SHELFD_TRY_ASSIGN(table,
                      read_value(database, fmt::format("SELECT name FROM {} WHERE name <> ? LIMIT 1", tables), ""));
    SHELFD_TRY_ASSIGN(meta, read_value(database, fmt::format("SELECT name FROM {} WHERE name = ?", tables), "_meta"));
    SchemaLook look;
    if (major == 0) {
        look.found = table ? SchemaFound::foreign : SchemaFound::none;
        return look;
    }
    look.version.major = static_cast<int>(major);
    if (meta) {
        SHELFD_TRY_ASSIGN(minor, read_meta(database, "schema_minor"));
        SHELFD_TRY_ASSIGN(min_reader, read_meta(database, "min_reader"));
        SHELFD_TRY_ASSIGN(made_by, read_meta(database, "made_by"));
        const auto number = number_in<int>(minor.value_or("0"));
        if (!number || *number < 0) {
            return Error(ErrorKind::corrupt, fmt::format("the version in {} is not a number", path));
        }
        look.version.minor = *number;
        look.min_reader = min_reader.value_or("");
        look.made_by = made_by.value_or("");
    }
    const bool is_usable = major <= own_mirror_schema.major && may_read_mirror(look.min_reader);
    look.found = is_usable ? SchemaFound::ours : SchemaFound::newer;
    return look;
}

}  // namespace shelfd::app
