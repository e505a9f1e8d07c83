#include "mirror/declare/reset_table.hpp"

#include "mirror/file/schema.hpp"
#include "mirror/rows/deleted_rows.hpp"
#include "mirror/staging/tables.hpp"
#include "mirror/values/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace shelfd::mirror {

namespace {

Result<std::uint64_t> read_number(storage::Database& database, std::string_view sql)
{
    SHELFD_TRY_ASSIGN(query, database.prepare(sql));
    SHELFD_TRY(query.step());
    return static_cast<std::uint64_t>(query.integer(0));
}

// From `begin` until its end, SQLite overwrites what is deleted, the pages that become free included.
class SecureDeletion {
public:
    explicit SecureDeletion(storage::Database& database) : database_(database) {}
    SecureDeletion(const SecureDeletion&) = delete;
    SecureDeletion& operator=(const SecureDeletion&) = delete;
    ~SecureDeletion()
    {
        constexpr std::array<const char*, 3> settings = {"OFF", "ON", "FAST"};
        if (before_ && *before_ < settings.size()) {
            (void)database_.execute(fmt::format("PRAGMA secure_delete = {}", settings[*before_]));
        }
    }

    Result<void> begin()
    {
        SHELFD_TRY_ASSIGN(before, read_number(database_, "PRAGMA secure_delete"));
        before_ = before;
        return database_.execute("PRAGMA secure_delete = ON");
    }

private:
    storage::Database& database_;
    std::optional<std::uint64_t> before_;
};

// Tables that were dropped before leave their rows in the free pages of the file: a table of zeros takes all of these.
// In the caller's transaction, under SecureDeletion.
Result<void> overwrite_free_pages(storage::Database& database)
{
    constexpr std::uint64_t max_pages_a_row = 256;
    auto page_size = read_number(database, "PRAGMA page_size");
    auto made = database.execute("CREATE TABLE _zeros (zeros BLOB)");
    if (!page_size || !made) {
        return page_size ? std::move(made) : std::move(page_size).error();
    }
    for (;;) {
        SHELFD_TRY_ASSIGN(free, read_number(database, "PRAGMA freelist_count"));
        if (free == 0) {
            return database.execute("DROP TABLE _zeros");
        }
        const auto bytes = std::min(free, max_pages_a_row) * *page_size;
        SHELFD_TRY(database.execute(fmt::format("INSERT INTO _zeros VALUES (zeroblob({}))", bytes)));
    }
}

}  // namespace

Result<void> reset_table(storage::Database& database, const std::string& resource)
{
    SHELFD_TRY_ASSIGN(detailed, has_table(database, queue_name(resource)));
    if (detailed) {
        auto done = database.execute("DROP VIEW IF EXISTS " + identifier(full_name(resource)));
        if (done) {
            done = reset_table(database, detail_name(resource));
        }
        if (!done) {
            return done;
        }
    }
    for (const auto& table : {resource, deleted_name(resource), state_name(resource), staging_name(resource),
                              seen_name(resource), queue_name(resource)}) {
        SHELFD_TRY(database.execute("DROP TABLE IF EXISTS " + identifier(table)));
    }
    SHELFD_TRY_ASSIGN(unmark, database.prepare("DELETE FROM _meta WHERE key = ?"));
    const auto mark = std::string(deleted_rows_mark) + resource;
    unmark.bind(1, std::string_view(mark));
    SHELFD_TRY(unmark.run());
    for (const char* table : {"_columns", "_shapes", "_held", "_slices", "_untold", "_resources"}) {
        SHELFD_TRY_ASSIGN(removed, database.prepare(fmt::format("DELETE FROM {} WHERE resource = ?", table)));
        removed.bind(1, std::string_view(resource));
        SHELFD_TRY(removed.run());
    }
    return {};
}

Result<void> scrub(storage::Database& database, const std::string& resource)
{
    SecureDeletion secure(database);
    SHELFD_TRY(secure.begin());
    for (const char* table : {"_changes", "_drift"}) {
        SHELFD_TRY_ASSIGN(removed, database.prepare(fmt::format("DELETE FROM {} WHERE resource IN (?, ?)", table)));
        const auto details = detail_name(resource);
        removed.bind(1, std::string_view(resource)).bind(2, std::string_view(details));
        SHELFD_TRY(removed.run());
    }
    auto gone = reset_table(database, resource);
    return gone ? overwrite_free_pages(database) : std::move(gone);
}

}  // namespace shelfd::mirror
