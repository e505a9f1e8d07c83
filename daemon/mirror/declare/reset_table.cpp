#include "mirror/declare/reset_table.hpp"

#include "base/scope_exit.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/rows/deleted_rows.hpp"
#include "mirror/rows/known_pages.hpp"
#include "mirror/staging/tables.hpp"
#include "mirror/values/names.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace shelfd::mirror {

namespace {

// Tables dropped earlier leave their rows in free pages of the file; a table of zeros occupies all of these. In the
// caller's transaction, with `secure_delete`.
Result<void> overwrite_free_pages(storage::Database& database)
{
    constexpr std::int64_t max_pages_a_row = 256;
    SHELFD_TRY_ASSIGN(page_size, storage::read_number(database, "PRAGMA page_size"));
    SHELFD_TRY(database.execute("CREATE TABLE _zeros (zeros BLOB)"));
    for (;;) {
        SHELFD_TRY_ASSIGN(free, storage::read_number(database, "PRAGMA freelist_count"));
        if (free == 0) {
            return database.execute("DROP TABLE _zeros");
        }
        const auto bytes = std::min(free, max_pages_a_row) * page_size;
        SHELFD_TRY(database.execute(fmt::format("INSERT INTO _zeros VALUES (zeroblob({}))", bytes)));
    }
}

}  // namespace

Result<void> reset_table(storage::Database& database, const std::string& resource)
{
    SHELFD_TRY_ASSIGN(detailed, has_table(database, queue_name(resource)));
    if (detailed) {
        SHELFD_TRY(database.execute("DROP VIEW IF EXISTS " + identifier(full_name(resource))));
        SHELFD_TRY(reset_table(database, detail_name(resource)));
    }
    for (const auto& table : {resource, deleted_name(resource), state_name(resource), staging_name(resource),
                              seen_name(resource), queue_name(resource), pages_name(resource)}) {
        SHELFD_TRY(database.execute("DROP TABLE IF EXISTS " + identifier(table)));
    }
    SHELFD_TRY(storage::run(database, "DELETE FROM _meta WHERE key = ?", std::string(deleted_rows_mark) + resource));
    for (const char* table : {"_columns", "_shapes", "_held", "_slices", "_untold", "_resources"}) {
        SHELFD_TRY(storage::run(database, fmt::format("DELETE FROM {} WHERE resource = ?", table), resource));
    }
    return {};
}

Result<void> scrub(storage::Database& database, const std::string& resource)
{
    // From now on SQLite overwrites deleted content, including pages that become free.
    SHELFD_TRY_ASSIGN(before, storage::read_number(database, "PRAGMA secure_delete"));
    const ScopeExit restore([&database, setting = before] {
        (void)database.execute(fmt::format("PRAGMA secure_delete = {}", setting == 0   ? "OFF"
                                                                        : setting == 1 ? "ON"
                                                                                       : "FAST"));
    });
    SHELFD_TRY(database.execute("PRAGMA secure_delete = ON"));
    for (const char* table : {"_changes", "_drift"}) {
        SHELFD_TRY(storage::run(database, fmt::format("DELETE FROM {} WHERE resource IN (?, ?)", table), resource,
                                detail_name(resource)));
    }
    SHELFD_TRY(reset_table(database, resource));
    return overwrite_free_pages(database);
}

}  // namespace shelfd::mirror
