#include "mirror/starting_over.hpp"

#include "mirror/names.hpp"
#include "mirror/schema.hpp"
#include "mirror/staging_tables.hpp"

#include <fmt/format.h>

#include <utility>

namespace shelfd::mirror {

namespace {

// From `begin` until it dies, whatever is deleted is written over in its pages: a write for each of them.
class SecureDeletion {
public:
    explicit SecureDeletion(storage::Database& database) : database_(database) {}
    SecureDeletion(const SecureDeletion&) = delete;
    SecureDeletion& operator=(const SecureDeletion&) = delete;
    ~SecureDeletion()
    {
        if (began_) {
            (void)database_.execute("PRAGMA secure_delete = OFF");
        }
    }

    // Some builds of SQLite do so always.
    Result<void> begin()
    {
        auto before = database_.prepare("PRAGMA secure_delete");
        if (!before) {
            return std::move(before).error();
        }
        auto row = before->step();
        if (!row) {
            return std::move(row).error();
        }
        began_ = before->integer(0) == 0;
        return database_.execute("PRAGMA secure_delete = ON");
    }

private:
    storage::Database& database_;
    bool began_ = false;
};

}  // namespace

Result<void> start_over(storage::Database& database, const std::string& resource)
{
    auto detailed = has_table(database, queue_name(resource));
    if (!detailed) {
        return std::move(detailed).error();
    }
    if (*detailed) {
        auto done = database.execute("DROP VIEW IF EXISTS " + identifier(full_name(resource)));
        if (done) {
            done = start_over(database, detail_name(resource));
        }
        if (!done) {
            return done;
        }
    }
    for (const auto& table : {resource, deleted_name(resource), state_name(resource), staging_name(resource),
                              seen_name(resource), queue_name(resource)}) {
        if (auto dropped = database.execute("DROP TABLE IF EXISTS " + identifier(table)); !dropped) {
            return dropped;
        }
    }
    for (const char* table : {"_columns", "_shapes", "_held", "_slices", "_resources"}) {
        auto removed = database.prepare(fmt::format("DELETE FROM {} WHERE resource = ?", table));
        if (!removed) {
            return std::move(removed).error();
        }
        removed->bind(1, std::string_view(resource));
        if (auto done = removed->run(); !done) {
            return done;
        }
    }
    return {};
}

Result<void> scrub(storage::Database& database, const std::string& resource)
{
    SecureDeletion secure(database);
    if (auto begun = secure.begin(); !begun) {
        return begun;
    }
    for (const char* table : {"_changes", "_drift"}) {
        auto removed = database.prepare(fmt::format("DELETE FROM {} WHERE resource IN (?, ?)", table));
        if (!removed) {
            return std::move(removed).error();
        }
        const auto details = detail_name(resource);
        removed->bind(1, std::string_view(resource)).bind(2, std::string_view(details));
        if (auto done = removed->run(); !done) {
            return done;
        }
    }
    return start_over(database, resource);
}

}  // namespace shelfd::mirror
