#include "mirror/file/snapshot.hpp"

#include "base/regular_file.hpp"
#include "mirror/values/names.hpp"
#include "storage/filesystem.hpp"
#include "storage/opening.hpp"
#include "storage/query.hpp"
#include "storage/sqlite.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace shelfd::mirror {

namespace {

// Removes its file, unless that was put in place.
class Draft {
public:
    Draft(std::string path, mode_t mode) : path_(std::move(path)), mode_(mode) {}
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;
    ~Draft()
    {
        if (!placed_) {
            ::unlink(path_.c_str());
        }
    }

    const std::string& path() const { return path_; }

    Result<void> create() const
    {
        if (::unlink(path_.c_str()) != 0 && errno != ENOENT) {  // left by a daemon that died while writing
            return storage::errno_error("cannot remove " + path_, errno);
        }
        const FileDescriptor file(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_));
        // A umask may have removed bits that readers need.
        if (!file || ::fchmod(file.get(), mode_) != 0) {
            return storage::errno_error("cannot create " + path_, errno);
        }
        return {};
    }

    // Syncs the file before it gets its name, and the name before success is reported.
    Result<void> place(const std::string& target)
    {
        const auto file = open_regular_file(path_);
        if (!file) {
            return storage::cannot_open(path_, file.error());
        }
        if (::fsync(file->get()) != 0) {
            return storage::errno_error("cannot sync " + path_, errno);
        }
        if (::rename(path_.c_str(), target.c_str()) != 0) {
            return storage::errno_error(fmt::format("cannot rename {} to {}", path_, target), errno);
        }
        placed_ = true;
        return storage::sync_directory(std::filesystem::path(target).parent_path().string());
    }

private:
    std::string path_;
    mode_t mode_;
    bool placed_ = false;
};

// Who may not read the mirror may not read its copy.
Result<mode_t> mode_of(const std::string& mirror)
{
    struct stat facts = {};
    if (::stat(mirror.c_str(), &facts) != 0) {
        return storage::errno_error("cannot examine " + mirror, errno);
    }
    return facts.st_mode & 0640U;
}

// Upper bound of the copy's size: the whole mirror.
Result<void> check_room(const SnapshotOrder& order)
{
    struct stat mirror = {};
    struct statvfs disk = {};
    const auto directory = std::filesystem::path(order.target).parent_path().string();
    if (::stat(order.mirror.c_str(), &mirror) != 0) {
        return storage::errno_error("cannot examine " + order.mirror, errno);
    }
    if (::statvfs(directory.c_str(), &disk) != 0) {
        return storage::errno_error("cannot examine the disk of " + directory, errno);
    }
    const auto needed = static_cast<std::uint64_t>(mirror.st_size) + order.leave_free;
    const auto free = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
    if (free < needed) {
        constexpr std::uint64_t mebibyte = 1U << 20;
        std::error_code ignored;
        const bool has_one = std::filesystem::exists(order.target, ignored);
        return Error(ErrorKind::storage,
                     fmt::format("the disk of {} has {} MiB free; a snapshot may need {} MiB, including {} MiB left "
                                 "for the mirrors: free space{}",
                                 directory, free / mebibyte, needed / mebibyte, order.leave_free / mebibyte,
                                 has_one ? "; the last snapshot stays" : ""));
    }
    return {};
}

struct Object {
    bool is_table;
    std::string name;
    std::string sql;
};

Result<std::vector<Object>> objects_for_readers(storage::Database& database)
{
    // Tables first, because indexes and views need them.
    constexpr std::string_view sql = R"sql(
        SELECT type, name, sql FROM mirror.sqlite_master
        WHERE sql IS NOT NULL AND substr(tbl_name, 1, 1) <> '_' AND tbl_name NOT LIKE 'sqlite\_%' ESCAPE '\'
            AND tbl_name <> 'freshness'
        ORDER BY CASE type WHEN 'table' THEN 1 WHEN 'index' THEN 2 ELSE 3 END, name
    )sql";
    std::vector<Object> objects;
    SHELFD_TRY(storage::each_row(database, sql, [&](const storage::Statement& row) {
        objects.push_back({row.text(0) == "table", std::string(row.text(1)), std::string(row.text(2))});
    }));
    return objects;
}

// One transaction, so that all tables are of the same time.
Result<std::uint64_t> copy(storage::Database& database, Instant now)
{
    SHELFD_TRY_ASSIGN(transaction, storage::Transaction::begin(database));
    SHELFD_TRY_ASSIGN(objects, objects_for_readers(database));
    std::uint64_t tables = 0;
    for (const auto& object : objects) {
        tables += object.is_table ? 1U : 0U;
        const auto rows = fmt::format("; INSERT INTO main.{0} SELECT * FROM mirror.{0}", identifier(object.name));
        if (auto copied = database.execute(object.sql + (object.is_table ? rows : "")); !copied) {
            return std::move(copied).error().in("cannot copy " + object.name);
        }
    }
    SHELFD_TRY(storage::run(database, "CREATE TABLE main.freshness AS SELECT *, ? AS snapshot_at FROM mirror.freshness",
                            now.to_text()));
    SHELFD_TRY(transaction.commit());
    return tables;
}

Result<std::uint64_t> fill(const std::string& draft, const SnapshotOrder& order)
{
    SHELFD_TRY_ASSIGN(database, storage::Database::open(draft, storage::OpenMode::scratch));
    SHELFD_TRY(database.attach_read_only(order.mirror, "mirror"));
    return copy(database, order.now);
}

}  // namespace

Result<SnapshotOutcome> write_snapshot(const SnapshotOrder& order)
{
    // Replaces one left by a crash, whose space counts.
    SHELFD_TRY_ASSIGN(mode, mode_of(order.mirror));
    Draft draft(order.target + ".new", mode);
    SHELFD_TRY(draft.create());
    SHELFD_TRY(check_room(order));
    auto tables = fill(draft.path(), order);
    if (!tables) {
        return std::move(tables).error().in(fmt::format("no new snapshot {}; the last one stays", order.target));
    }
    struct stat facts = {};
    if (::stat(draft.path().c_str(), &facts) != 0) {
        return storage::errno_error("cannot examine " + draft.path(), errno);
    }
    SHELFD_TRY(draft.place(order.target));
    return SnapshotOutcome{*tables, static_cast<std::uint64_t>(facts.st_size)};
}

std::string snapshot_path(const std::string& mirror)
{
    constexpr std::string_view ending = ".db";
    auto path = mirror;
    if (path.ends_with(ending)) {
        path.resize(path.size() - ending.size());
    }
    return path + ".snapshot.db";
}

}  // namespace shelfd::mirror
