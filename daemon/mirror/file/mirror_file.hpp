// The SQLite file of a mirror: opened when needed, checked before it is trusted, replaced when it is broken.
#pragma once

#include "base/result.hpp"
#include "mirror/file/file_trust.hpp"
#include "mirror/file/file_watch.hpp"
#include "mirror/file/handle_pool.hpp"
#include "mirror/file/open_passes.hpp"
#include "mirror/file/options.hpp"
#include "mirror/file/paths.hpp"
#include "mirror/file/repairs.hpp"
#include "mirror/json/content_hash.hpp"
#include "storage/sqlite.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace shelfd::mirror {

// One thread at a time, except `is_open` and `has_news`. While a pass is open, the file is neither closed nor replaced:
// a fault then becomes the error of the passes, which end first. Errors: storage, permission, busy; usage for a file
// that is not a mirror or was written by a newer version; corrupt if nothing helps.
class MirrorFile {
public:
    // Creates the tables of a file before it is used, also of a new one. Returns a notice, or "".
    using MakeTables = std::function<Result<std::string>(storage::Database&)>;
    template <typename Work>
    using Outcome = std::invoke_result_t<const Work&, storage::Database&>;

    // Accesses no file. `options` and `passes` must outlive this.
    MirrorFile(const MirrorOptions& options, OpenPasses& passes, MakeTables make_tables);

    // Runs `work` with the open file. If the file turns out to be broken, it is set aside, and `work` runs again with a
    // new one.
    template <typename Work>
    Outcome<Work> with_file(const Work& work)
    {
        return attempt(&MirrorFile::connection, work);
    }
    // The same with a file known to be sound since this boot. Required for changes of rows.
    template <typename Work>
    Outcome<Work> with_sound_file(const Work& work)
    {
        return attempt(&MirrorFile::sound_connection, work);
    }
    // The same in one transaction.
    template <typename Work>
    Outcome<Work> in_transaction(const Work& work);

    // Creates the tables of the file in use, even if it is not new.
    Result<void> make_tables();
    // Call when a part of the file could not be read: open passes get this error, and the file is checked before its
    // next use.
    void mark_suspect(const Error& met);
    // Records rows with other values than were written, which were put right.
    void record_damage(const DamagedRows& found);
    // If another connection wrote to the open file, earlier checks are no longer valid. Fails with kind corrupt if it
    // removed an object of ours.
    Result<void> check_after_others(storage::Database& connected);
    // Grows when earlier checks of single tables are no longer valid.
    std::uint64_t epoch() const { return trust_.epoch(); }
    // Records that we wrote the file as it is now.
    void record_writing();

    Result<bool> checkpoint(storage::CheckpointMode mode);
    Result<void> sync_feed();
    // The same within `with_file`. Returns whether `checkpoint_feed` has something to do.
    Result<bool> sync_feed(storage::Database& connected);
    Result<void> checkpoint_feed();
    std::uint64_t wal_bytes() const { return database_ ? database_->wal_bytes() : 0; }
    void release_memory();
    // Call after each step of an open pass: see PooledHandle.
    void bound_cache() { database_.bound_cache(); }
    Result<void> close_idle();
    Result<void> keep_readable();
    void renew_access();

    bool is_open() const { return database_.is_open(); }
    bool has_news() const { return has_news_; }
    std::optional<std::string> take_notice();
    bool take_rebuilt();
    const std::vector<Repair>& repairs() const { return repairs_.all(); }
    // Why the configured readers have no right to the files, as of their last opening; empty: they have it.
    const std::optional<Error>& closed_to_readers() const { return closed_to_readers_; }
    const std::string& path() const { return path_; }

private:
    using Connection = Result<storage::Database*>;
    template <typename Work>
    Outcome<Work> attempt(Connection (MirrorFile::*how)(), const Work& work);

    Connection connection();
    Connection sound_connection();
    Result<void> follow_file();
    Result<void> follow_missing();
    void follow_return();
    Result<void> check_place() const;
    Result<void> keep_side_files();
    Result<void> open(bool check);
    Result<void> connect();
    Result<void> connect_to(FoundFiles before);
    void record_refill(FoundFiles before);
    Result<void> check_content();
    static Result<void> check_objects(storage::Database& connected);
    Result<void> compare_position();
    Result<void> compare_mark();
    Result<void> note_mark(const storage::FileMark& mark);
    Result<void> take_copy(const storage::FileMark& mark);
    Result<ContentHash> position();
    Result<bool> is_written_by_others();
    Result<void> replace(const std::string& finding);
    void begin_anew(const std::string& finding, const std::string& aside);

    const MirrorOptions& options_;
    OpenPasses& passes_;
    MakeTables make_tables_;
    std::string path_;
    PooledHandle database_;
    FileTrust trust_;
    FileWatch watch_;
    RepairLog repairs_;
    std::optional<Error> closed_to_readers_;
    std::string misread_what_;                    // the last part that could not be read
    std::optional<ContentHash> left_at_;          // position at which the file was closed
    std::optional<std::int64_t> others_version_;  // of the open file: SQLite's data_version
    std::optional<std::int64_t> synced_;          // newest change that survives a power failure; empty: unknown
    std::optional<std::int64_t> checkpointed_;    // the same that the file has without its WAL
    std::uint64_t lives_with_tables_ = 0;         // FileTrust::lives when the tables were last created
    std::uint64_t lives_reported_ = 0;            // the same at the last `take_rebuilt`
    bool is_away_ = false;                        // the file that was in use is on a file system that is not mounted
    std::atomic<bool> has_news_{false};           // the file was replaced, and the notice was not taken yet
};

template <typename Work>
auto MirrorFile::attempt(Connection (MirrorFile::*how)(), const Work& work) -> Outcome<Work>
{
    // If checks pass and the file still proves broken, only a new file helps.
    constexpr int max_tries = 3;
    for (int tries = 1;; ++tries) {
        auto open = (this->*how)();
        auto outcome = open ? work(**open) : Outcome<Work>(std::move(open).error());
        record_writing();
        database_.bound_cache();
        if (!outcome && open && outcome.error().kind() == ErrorKind::usage) {
            // An SQL error may be caused by a table that somebody dropped.
            if (auto whole = check_objects(**open); !whole && whole.error().kind() == ErrorKind::corrupt) {
                outcome = Outcome<Work>(std::move(whole).error());
            }
        }
        if (outcome || outcome.error().kind() != ErrorKind::corrupt) {
            return outcome;
        }
        mark_suspect(outcome.error());
        if (!passes_.empty() || tries == max_tries) {
            return outcome;
        }
    }
}

template <typename Work>
auto MirrorFile::in_transaction(const Work& work) -> Outcome<Work>
{
    return with_sound_file([&work](storage::Database& connected) -> Outcome<Work> {
        SHELFD_TRY_ASSIGN(transaction, storage::Transaction::begin(connected));
        auto outcome = work(connected);
        if (outcome) {
            SHELFD_TRY(transaction.commit());
        }
        return outcome;
    });
}

}  // namespace shelfd::mirror
