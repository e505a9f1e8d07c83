#include "mirror/declare/closed_mirror.hpp"

#include "mirror/file/schema.hpp"
#include "storage/sqlite.hpp"

namespace shelfd::mirror {
namespace {

Result<bool> is_to_be_retired(const std::string& file)
{
    SHELFD_TRY_ASSIGN(reader, storage::Database::open(file, storage::OpenMode::read_only));
    SHELFD_TRY_ASSIGN(found, find_schema(reader));
    if (found != SchemaFound::ours) {
        return false;
    }
    SHELFD_TRY_ASSIGN(left, read_value(reader, "SELECT 1 FROM _resources WHERE retired = ? LIMIT 1", "0"));
    return left.has_value();
}

}  // namespace

Result<bool> has_published(const std::string& file)
{
    SHELFD_TRY_ASSIGN(reader, storage::Database::open(file, storage::OpenMode::read_only));
    SHELFD_TRY_ASSIGN(found, find_schema(reader));
    if (found == SchemaFound::none || found == SchemaFound::foreign) {
        return false;
    }
    SHELFD_TRY_ASSIGN(row, read_value(reader, "SELECT 1 FROM _resources WHERE as_of > ? LIMIT 1", ""));
    return row.has_value();
}

Result<bool> retire_mirror(const std::string& file)
{
    SHELFD_TRY_ASSIGN(wanted, is_to_be_retired(file));
    if (!wanted) {
        return false;
    }
    SHELFD_TRY_ASSIGN(database, storage::Database::open(file, storage::OpenMode::read_write_create));
    SHELFD_TRY(database.execute(
        "UPDATE _resources SET retired = 1, blocked = NULL, why = NULL, since = NULL WHERE NOT retired"));
    SHELFD_TRY(database.checkpoint(storage::CheckpointMode::truncate));
    return true;
}

}  // namespace shelfd::mirror
