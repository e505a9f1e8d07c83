#include "mirror/declare/retirement.hpp"

#include "mirror/file/schema.hpp"
#include "storage/sqlite.hpp"

namespace shelfd::mirror {
namespace {

Result<bool> is_to_be_retired(const std::string& file)
{
    auto reader = storage::Database::open(file, storage::OpenMode::read_only);
    if (!reader) {
        return std::move(reader).error();
    }
    auto found = find_schema(*reader);
    if (!found || *found != SchemaFound::ours) {
        return found ? Result<bool>(false) : std::move(found).error();
    }
    auto left = read_value(*reader, "SELECT 1 FROM _resources WHERE retired = ? LIMIT 1", "0");
    return left ? Result<bool>(left->has_value()) : std::move(left).error();
}

}  // namespace

Result<bool> retire_mirror(const std::string& file)
{
    auto wanted = is_to_be_retired(file);
    if (!wanted || !*wanted) {
        return wanted;
    }
    auto database = storage::Database::open(file, storage::OpenMode::read_write_create);
    if (!database) {
        return std::move(database).error();
    }
    auto done = database->execute("UPDATE _resources SET retired = 1 WHERE NOT retired");
    if (!done) {
        return std::move(done).error();
    }
    auto emptied = database->checkpoint(storage::CheckpointMode::truncate);
    return emptied ? Result<bool>(true) : std::move(emptied).error();
}

}  // namespace shelfd::mirror
