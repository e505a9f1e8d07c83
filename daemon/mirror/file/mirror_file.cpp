#include "mirror/file/mirror_file.hpp"

#include "mirror/file/schema.hpp"

#include <fmt/format.h>

namespace shelfd::mirror {

MirrorFile::MirrorFile(const MirrorOptions& options, OpenPasses& passes, MakeTables make_tables)
    : options_(options), passes_(passes), make_tables_(std::move(make_tables)),
      path_(fmt::format("{}/{}.db", options.directory, options.library)), database_(options.handles), watch_(path_),
      repairs_(options.library)
{
}

MirrorFile::Connection MirrorFile::connection()
{
    SHELFD_TRY(follow_file());
    const bool check = trust_.must_be_checked() && passes_.empty();
    if (check) {
        database_.reset();  // checks the file itself, not the cached pages
    }
    if (!database_) {
        auto opened = open(check);
        if (!opened && opened.error().kind() == ErrorKind::corrupt) {
            opened = replace(fmt::format("was broken ({})", opened.error().text()));
        }
        SHELFD_TRY(opened);
        SHELFD_TRY(compare_position());
    }
    if (lives_with_tables_ != trust_.lives()) {
        SHELFD_TRY(make_tables());
    }
    SHELFD_TRY(repairs_.save(*database_, options_.clock.now()));
    return database_.get();
}

MirrorFile::Connection MirrorFile::sound_connection()
{
    auto connected = connection();
    if (!connected || trust_.state() == Trust::sound || !passes_.empty()) {
        return connected;
    }
    SHELFD_TRY_ASSIGN(boot, read_meta(*database_, "boot_id"));
    if (boot && !options_.boot_id.empty() && *boot != options_.boot_id) {
        trust_.apply(TrustEvent::other_boot);
        SHELFD_TRY(connection());
    }
    trust_.apply(TrustEvent::same_boot);
    if (!options_.boot_id.empty()) {
        SHELFD_TRY(write_meta(*database_, "boot_id", options_.boot_id));
    }
    return database_.get();
}

Result<void> MirrorFile::make_tables()
{
    SHELFD_TRY_ASSIGN(notice, make_tables_(*database_));
    lives_with_tables_ = trust_.lives();
    if (!notice.empty()) {
        repairs_.add_notice(notice);
    }
    if (repairs_.has_notice()) {
        // Removes wiped content from the WAL, too. If a reader prevents it, the next idle minute does it.
        (void)database_->checkpoint(storage::CheckpointMode::truncate);
    }
    return {};
}

void MirrorFile::mark_suspect(const Error& met)
{
    trust_.apply(TrustEvent::read_failed);
    misread_what_ = met.text();
    passes_.break_all(met);
}

Result<void> MirrorFile::check_objects(storage::Database& connected)
{
    SHELFD_TRY_ASSIGN(missing, find_missing_object(connected));
    return missing.empty() ? Result<void>() : Error(ErrorKind::corrupt, fmt::format("{} was removed from it", missing));
}

// Fails with kind corrupt and what is wrong with the open file.
Result<void> MirrorFile::check_content()
{
    SHELFD_TRY_ASSIGN(finding, database_->quick_check());
    if (finding) {
        return Error(ErrorKind::corrupt, *finding);
    }
    // quick_check does not compare indexes with their tables, or contents with what we meant to write.
    if (trust_.state() == Trust::condemned) {
        return Error(ErrorKind::corrupt, "a part of it repeatedly cannot be read: " + misread_what_);
    }
    trust_.apply(TrustEvent::check_passed);
    return {};
}

Result<bool> MirrorFile::is_written_by_others()
{
    SHELFD_TRY_ASSIGN(version, database_->prepare("PRAGMA data_version"));
    SHELFD_TRY(version.step());
    const auto now = version.integer(0);
    return std::exchange(others_version_, now).value_or(now) != now;
}

Result<void> MirrorFile::check_after_others(storage::Database& connected)
{
    SHELFD_TRY_ASSIGN(written_by_others, is_written_by_others());
    if (!written_by_others) {
        return {};
    }
    trust_.apply(TrustEvent::written_by_others);
    return check_objects(connected);
}

// Continues with the file that is at the path now.
Result<void> MirrorFile::follow_file()
{
    if (!passes_.empty()) {
        return {};
    }
    SHELFD_TRY_ASSIGN(found, watch_.look());
    if (is_away_ && found != FileWatch::Finding::no_file) {
        follow_return();
        return {};
    }
    switch (found) {
    case FileWatch::Finding::as_left: break;
    case FileWatch::Finding::written_by_others:
        // Only this program writes the file itself. Our page cache would hide the damage from us alone.
        if (database_) {
            if (auto at = position()) {
                left_at_ = *at;
            }
            database_.reset();
        }
        trust_.apply(TrustEvent::written_by_others);
        break;
    case FileWatch::Finding::other_file:
        database_.reset();
        SHELFD_TRY(watch_.remove_side_files());
        return replace("was replaced by another file");
    case FileWatch::Finding::no_file: return follow_missing();
    }
    return database_ ? keep_side_files() : Result<void>();
}

// The file was removed, or its file system is not mounted any more.
Result<void> MirrorFile::follow_missing()
{
    const auto at = database_ ? position() : Result<ContentHash>(Error(ErrorKind::storage, "not open"));
    database_.reset();
    if (auto placed = check_place(); !placed) {
        if (at) {
            left_at_ = *at;
        }
        is_away_ = true;
        return placed;
    }
    is_away_ = false;
    begin_anew(fmt::format("was removed from {}", options_.directory), "");
    return {};
}

// Its file system is mounted again, perhaps under another device number.
void MirrorFile::follow_return()
{
    is_away_ = false;
    watch_.end();
    trust_.apply(TrustEvent::written_by_others);
}

Result<void> MirrorFile::check_place() const
{
    return options_.check_place ? options_.check_place() : Result<void>();
}

// A foreign program that closes the file last removes -wal and -shm while our connection is closed. While it is open,
// only `rm` can.
Result<void> MirrorFile::keep_side_files()
{
    SHELFD_TRY_ASSIGN(named, watch_.has_side_files());
    if (named) {
        return {};
    }
    // The content of the unlinked WAL is moved to the file first. If a reader prevents it, the next call does it.
    SHELFD_TRY_ASSIGN(whole, database_->checkpoint(storage::CheckpointMode::passive));
    if (whole) {
        database_.reset();
    }
    return {};
}

Result<void> MirrorFile::open(bool check)
{
    SHELFD_TRY(connect());
    // First: a file that is broken once more can often still say what was done before.
    auto recalled = repairs_.recall(*database_);
    SHELFD_TRY(check_objects(*database_));
    SHELFD_TRY(recalled);
    for (const auto& repair : repairs_.all()) {
        if (!repair.aside.empty() && options_.clock.now() - repair.at > repair_is_news) {
            remove_aside(path_, repair.aside);
        }
    }
    return check ? check_content() : Result<void>();
}

Result<void> MirrorFile::connect()
{
    SHELFD_TRY_ASSIGN(there, identity_of(path_));
    if (!there) {
        SHELFD_TRY(check_place());
    }
    SHELFD_TRY_ASSIGN(prepared, prepare_files(options_.directory, path_, options_.readers));
    closed_to_readers_ = std::move(prepared.closed);
    const auto before = prepared.before;
    auto connected = connect_to(before);
    // Nobody may take a file that could not be filled for one that was emptied.
    if (!connected && before != FoundFiles::file && !database_) {
        remove_file(path_);
    }
    return connected;
}

Result<void> MirrorFile::connect_to(FoundFiles before)
{
    SHELFD_TRY_ASSIGN(connected, storage::Database::open(path_, storage::OpenMode::read_write_create));
    SHELFD_TRY_ASSIGN(found, find_schema(connected));
    if (found == SchemaFound::newer) {
        return Error(
            ErrorKind::usage,
            fmt::format("{} was written by a newer shelfd and is left unchanged. Install that version again", path_));
    }
    if (found == SchemaFound::foreign) {
        return Error(ErrorKind::usage, fmt::format("{} is a database but not a mirror; move it away", path_));
    }
    if (found == SchemaFound::none) {
        const Instant now = options_.clock.now();
        if (auto made = create_schema(connected, options_.library, feed_name(now), now.to_text()); !made) {
            return std::move(made).error().in(fmt::format("cannot create the mirror {}", path_));
        }
        record_refill(before);
    }
    unmark_filled(path_);
    SHELFD_TRY(watch_.begin());
    database_.take(std::move(connected));
    synced_.reset();
    checkpointed_.reset();
    others_version_.reset();
    SHELFD_TRY(is_written_by_others());
    return {};
}

// Records that a file was emptied or removed while no daemon knew it; for one that this process knew, it is done
// already.
void MirrorFile::record_refill(FoundFiles before)
{
    const bool was_there = before == FoundFiles::file;
    // A daemon that was killed while it created its first mirror leaves an empty file that never held one.
    const bool never_held = before == FoundFiles::none || (was_there && is_marked_unfilled(path_));
    if (trust_.lives() == 0 && !never_held) {
        repairs_.record(options_.clock.now(), path_,
                        was_there ? "was found empty" : fmt::format("was removed from {}", options_.directory), "");
        has_news_ = true;
    }
}

// How far the change feed and the runs of the open file are.
Result<ContentHash> MirrorFile::position()
{
    SHELFD_TRY_ASSIGN(
        found, database_->prepare("SELECT coalesce((SELECT value FROM _meta WHERE key = 'feed'), '') || ' ' || "
                                  "coalesce((SELECT seq FROM sqlite_sequence WHERE name = '_changes'), 0) || ' ' || "
                                  "coalesce((SELECT run_id FROM _runs ORDER BY rowid DESC LIMIT 1), '')"));
    SHELFD_TRY(found.step());
    return content_hash(found.text(0), 5);
}

// A file that was overwritten in place keeps its name and inode, but has another position. One that has the same
// position lost nothing, even if it is a copy.
Result<void> MirrorFile::compare_position()
{
    const auto left = std::exchange(left_at_, std::nullopt);
    if (!left) {
        return compare_mark();
    }
    SHELFD_TRY_ASSIGN(found, position());
    return found == *left ? note_mark(watch_.mark()) : replace("was replaced by another file");
}

// A mirror that holds the mark of another file is a copy, put in its place while no daemon had it open.
Result<void> MirrorFile::compare_mark()
{
    const auto now = watch_.mark();
    SHELFD_TRY_ASSIGN(kept, read_meta(*database_, file_mark_key));
    return storage::may_be_same(read_mark(kept.value_or("")), now) ? note_mark(now) : take_copy(now);
}

Result<void> MirrorFile::note_mark(const storage::FileMark& mark)
{
    // If it is unknown, another mount of the file may know it again.
    auto noted = storage::is_known(mark) ? write_meta(*database_, file_mark_key, to_text(mark)) : Result<void>();
    // A disk without room for it must not close the mirror: the next opening writes it.
    return noted || noted.error().kind() == ErrorKind::corrupt ? std::move(noted) : Result<void>();
}

// A copy lacks what was written after it was made, and the numbers of those changes are given again: a new name of the
// feed tells its readers. A copy of a live file may be torn: it is checked before its rows are changed, as after
// another boot.
Result<void> MirrorFile::take_copy(const storage::FileMark& mark)
{
    const Instant now = options_.clock.now();
    SHELFD_TRY_ASSIGN(transaction, storage::Transaction::begin(*database_));
    SHELFD_TRY(write_meta(*database_, "feed", feed_name(now)));
    SHELFD_TRY(write_meta(*database_, file_mark_key, to_text(mark)));
    SHELFD_TRY(write_meta(*database_, "boot_id", ""));
    SHELFD_TRY(repairs_.store_copy(*database_, now, path_));
    SHELFD_TRY(transaction.commit());
    repairs_.record_copy(now, path_);
    has_news_ = true;
    return {};
}

Result<void> MirrorFile::replace(const std::string& finding)
{
    database_.reset();
    SHELFD_TRY_ASSIGN(aside, set_aside(path_, options_.clock.now()));
    begin_anew(finding, aside);
    SHELFD_TRY(connect());
    SHELFD_TRY(write_meta(*database_, rebuilt_from, aside));
    return compare_mark();
}

// Forgets all that was known of the file.
void MirrorFile::begin_anew(const std::string& finding, const std::string& aside)
{
    trust_.apply(TrustEvent::begun_anew);
    watch_.end();
    left_at_.reset();
    repairs_.record(options_.clock.now(), path_, finding, aside);
    has_news_ = true;
}

}  // namespace shelfd::mirror
