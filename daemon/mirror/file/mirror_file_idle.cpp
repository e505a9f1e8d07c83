// What an idle mirror frees, keeps for readers, and reports.
#include "mirror/access/mirror_access.hpp"
#include "mirror/file/mirror_file.hpp"
#include "storage/filesystem.hpp"

namespace shelfd::mirror {

namespace {

// A different number for each position that readers may have; 0 before the first.
Result<std::int64_t> newest_position(storage::Database& database)
{
    SHELFD_TRY_ASSIGN(newest, database.prepare(R"sql(
        SELECT (newest.seq << 20) + coalesce((SELECT max(load) FROM _untold u WHERE u.seq = newest.seq), 0)
        FROM (SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = '_changes'), 0) AS seq) AS newest
    )sql"));
    SHELFD_TRY_ASSIGN(row, newest.step());
    return row ? newest.integer(0) : 0;
}

}  // namespace

void MirrorFile::record_writing()
{
    if (passes_.empty()) {
        watch_.record_writing();
    }
}

Result<bool> MirrorFile::checkpoint(storage::CheckpointMode mode)
{
    return with_file([&](storage::Database& database) -> Result<bool> {
        SHELFD_TRY_ASSIGN(newest, newest_position(database));
        SHELFD_TRY_ASSIGN(whole, database.checkpoint(mode));
        if (whole) {
            synced_ = newest;
            checkpointed_ = newest;
        }
        return whole;
    });
}

Result<void> MirrorFile::sync_feed()
{
    SHELFD_TRY(with_file([this](storage::Database& database) { return sync_feed(database); }));
    return {};
}

Result<bool> MirrorFile::sync_feed(storage::Database& connected)
{
    SHELFD_TRY_ASSIGN(newest, newest_position(connected));
    if (newest != synced_) {
        // SQLite holds no lock on that file, and syncs it only in a checkpoint.
        SHELFD_TRY(storage::sync_file(path_ + "-wal"));
        synced_ = newest;
    }
    return newest != checkpointed_;
}

Result<void> MirrorFile::checkpoint_feed()
{
    SHELFD_TRY_ASSIGN(newest, with_file([](storage::Database& database) { return newest_position(database); }));
    if (newest == checkpointed_) {
        return {};
    }
    SHELFD_TRY_ASSIGN(whole, checkpoint(storage::CheckpointMode::passive));
    if (!whole) {
        // A reader prevents it.
        SHELFD_TRY(sync_feed());
        checkpointed_ = newest;
    }
    return {};
}

void MirrorFile::release_memory()
{
    database_.release_memory();
}

Result<void> MirrorFile::close_idle()
{
    if (!database_ || !passes_.empty()) {
        return {};
    }
    auto left = position();
    if (!left) {
        mark_suspect(left.error());
        return std::move(left).error();
    }
    left_at_ = *left;
    database_.reset();
    record_writing();
    return {};
}

Result<void> MirrorFile::keep_readable()
{
    const bool was_resting = !database_;
    if (was_resting && !trust_.must_be_checked()) {
        const auto wal = identity_of(path_ + "-wal");
        const auto shm = identity_of(path_ + "-shm");
        if (wal && shm && *wal && *shm) {
            return {};
        }
    }
    SHELFD_TRY(with_file([](storage::Database&) { return Result<void>(); }));
    return was_resting ? close_idle() : Result<void>();
}

void MirrorFile::renew_access()
{
    if (options_.readers.empty()) {
        return;
    }
    const auto given = set_mirror_access(options_.directory, path_, options_.readers);
    closed_to_readers_ = given ? std::nullopt : std::optional(given.error());
}

void MirrorFile::record_damage(const DamagedRows& found)
{
    repairs_.record_rows(options_.clock.now(), path_, found);
    has_news_ = true;
    if (database_) {
        // If this fails, the next use of the file does it.
        (void)repairs_.save(*database_, options_.clock.now());
    }
}

std::optional<std::string> MirrorFile::take_notice()
{
    has_news_ = false;
    return repairs_.take_notice();
}

bool MirrorFile::take_rebuilt()
{
    return std::exchange(lives_reported_, trust_.lives()) != trust_.lives();
}

}  // namespace shelfd::mirror
