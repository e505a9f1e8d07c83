// What an idle mirror gives back, and what it keeps for its readers.
#include "mirror/file/paths.hpp"
#include "mirror/mirror_parts.hpp"
#include "storage/filesystem.hpp"

namespace shelfd::mirror {

namespace {

// Another number for each position that readers may have been given. 0 before the first one.
Result<std::int64_t> newest_position(storage::Database& database)
{
    SHELFD_TRY_ASSIGN(newest, database.prepare(R"sql(
        SELECT (newest.seq << 20) + coalesce((SELECT max(load) FROM _untold u WHERE u.seq = newest.seq), 0)
        FROM (SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = '_changes'), 0) AS seq) AS newest
    )sql"));
    auto row = newest.step();
    if (!row) {
        return std::move(row).error();
    }
    return *row ? newest.integer(0) : 0;
}

}  // namespace

Result<bool> Mirror::checkpoint(storage::CheckpointMode mode)
{
    return parts_->with_file([&](storage::Database& database) -> Result<bool> {
        SHELFD_TRY_ASSIGN(newest, newest_position(database));
        auto done = database.checkpoint(mode);
        if (done && *done) {
            parts_->secured = newest;
        }
        return done;
    });
}

Result<void> Mirror::checkpoint_feed()
{
    auto newest = parts_->with_file([](storage::Database& database) { return newest_position(database); });
    if (!newest || *newest == parts_->secured) {
        return newest ? Result<void>() : std::move(newest).error();
    }
    if (auto done = checkpoint(storage::CheckpointMode::passive); !done || *done) {
        return done ? Result<void>() : std::move(done).error();
    }
    // A reader is in the way: then the WAL keeps them. No lock hangs on that file.
    auto synced = storage::sync_file(parts_->file + "-wal");
    if (synced) {
        parts_->secured = *newest;
    }
    return synced;
}

std::uint64_t Mirror::wal_bytes() const
{
    return parts_->database ? parts_->database->wal_bytes() : 0;
}

void Mirror::release_memory()
{
    if (parts_->database) {
        parts_->database->release_memory();
    }
}

Result<void> Mirror::close_idle()
{
    auto& parts = *parts_;
    if (!parts.database || !parts.passes.empty()) {
        return {};
    }
    auto position = parts.position();
    if (!position) {
        parts.mark_suspect(position.error());
        return std::move(position).error();
    }
    parts.left_at = *position;
    parts.database.reset();
    parts.record_writing();
    return {};
}

bool Mirror::is_open() const
{
    return parts_->database.is_open();
}

bool Mirror::handle_wanted_elsewhere() const
{
    return parts_->options.handles->is_full();
}

Result<void> Mirror::keep_readable()
{
    const bool was_resting = !parts_->database;
    if (was_resting && !parts_->suspect) {
        auto wal = identity_of(parts_->file + "-wal");
        auto shm = identity_of(parts_->file + "-shm");
        if (wal && shm && *wal && *shm) {
            return {};
        }
    }
    SHELFD_TRY(parts_->with_file([](storage::Database&) { return Result<void>(); }));
    return was_resting ? close_idle() : Result<void>();
}

}  // namespace shelfd::mirror
