// The file behind a mirror: opened when it is needed, looked at before it is trusted, replaced when it is broken.
#pragma once

#include "mirror/file/handle_pool.hpp"
#include "mirror/file/paths.hpp"
#include "mirror/json/content_hash.hpp"
#include "mirror/mirror.hpp"
#include "mirror/pass.hpp"
#include "mirror/records/resource.hpp"
#include "storage/sqlite.hpp"

#include <fmt/format.h>

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace shelfd::mirror {

struct Mirror::Parts {
    explicit Parts(MirrorOptions given) : options(std::move(given)) {}

    // What `work` finds in the open file. Where that turns out to be broken it is set aside, and `work` is done again
    // with the new one; with passes open they end first, and the error stays.
    template <typename Work>
    auto with_file(const Work& work) -> decltype(work(std::declval<storage::Database&>()));
    // The same with a file that is known to be sound since this boot: for whatever changes rows.
    template <typename Work>
    auto with_sound_file(const Work& work) -> decltype(work(std::declval<storage::Database&>()));
    template <typename Work>
    auto attempt(Result<storage::Database*> (Parts::*connect)(), const Work& work)
        -> decltype(work(std::declval<storage::Database&>()));
    // What `work` does with the sound file becomes true as a whole, or not at all.
    template <typename Work>
    auto in_transaction(const Work& work) -> decltype(work(std::declval<storage::Database&>()));
    // The open file, opened if it is not, and looked at if there is doubt.
    Result<storage::Database*> connection();
    Result<storage::Database*> sound_connection();
    // Something in the file could not be read. Passes that are open meet this error next, and end.
    void mark_suspect(const Error& met);
    // Errors: corrupt, with what is wrong with the open file.
    Result<void> verify_file();
    // The same of what somebody else took out of it.
    Result<void> check_objects(storage::Database& connected);
    // The same where somebody else wrote to the file while it was open.
    Result<void> check_other_tables(storage::Database& connected);
    // Before a pass that vouches for rows of this table: its pages, where that is due; once for each life of this
    // object all tables, once a week each cell of the file.
    Result<void> verify_table_when_due(storage::Database& connected, const std::string& resource);
    Result<void> check_when_due(storage::Database& connected);
    Result<void> check_if_small(storage::Database& connected);
    Result<std::unique_ptr<Pass::Parts>> begin_pass(storage::Database& connected, const std::string& resource,
                                                    const PassStart& start);
    // Of the open file: the facts of a table whose rows are to change outside of a pass. Errors: busy, not_found.
    Result<ResourceFacts> facts_to_change(const std::string& resource);
    Result<void> open_file();
    // Somebody who clears up, or puts a copy in its place, does not tell the daemon.
    Result<void> stay_with_file();
    Result<void> stay_with_writing();
    Result<void> stay_with_side_files();
    Result<void> stay_with_content();
    // Another connection has written to the open file since this was asked last, or since it was opened.
    Result<bool> is_written_by_others();
    // How far the open file's feed and runs are.
    Result<ContentHash> position();
    // `finding`: what happened to the file, as the end of a sentence about the mirror.
    Result<void> replace(const std::string& finding);
    // Of a file that takes the place of another one; `aside`: where that is, "" = gone.
    void record_repair(const std::string& finding, const std::string& aside);
    Result<void> keep_repairs();
    Result<void> recall_repairs();
    // Whatever was known of the file is known no more.
    void begin_anew();
    // The file as it is now was written by us.
    void record_writing();
    // Of a file that began anew under the daemon.
    Result<void> declare_again();
    Result<void> declare(std::span<const ResourceSpec> resources);
    // `as_before`: how many of them are.
    Result<void> renew_feed(std::span<const ResourceSpec> resources, std::size_t as_before);
    // Of a feed that begins now: positions in one that began at another moment mean nothing in it.
    std::string feed_name() const;
    // As declared; of one that is not declared any more, what holds by default.
    ResourceSpec spec_of(const std::string& resource) const;

    MirrorOptions options;
    std::string file = fmt::format("{}/{}.db", options.directory, options.library);
    PooledHandle database{options.handles};
    std::vector<ResourceSpec> specs;
    std::map<std::string, Pass::Parts*> passes;  // open ones, by resource
    bool known_sound = false;                    // looked at, or written under this boot
    bool suspect = false;                        // to be looked at before it is used again
    bool misread = false;                        // because something in it could not be read
    bool cleared = false;                        // that has been before, and nothing was found
    std::string misread_what;                    // what it was, the last time
    std::map<std::string, Instant> looked_over;  // each table; empty: not since this object is there
    std::atomic<bool> has_news{false};           // a notice, or begun anew, and nobody was told yet
    bool rebuilt = false;                        // begun anew, and nobody was told yet
    bool undeclared = false;                     // begun anew, without its tables yet
    std::optional<FileIdentity> in_use;          // the file that was opened last
    std::optional<FileWriting> written;          // as we left it; nothing: not known
    std::optional<std::int64_t> others_version;  // of the open file: SQLite's data_version
    std::optional<FileIdentity> wal_in_use;
    std::optional<FileIdentity> shm_in_use;
    std::optional<std::int64_t> secured;  // the newest change that the file has without its WAL; nothing: not known
    std::optional<ContentHash> left_at;   // the position at which the file was let go of
    std::optional<std::string> notice;
    std::vector<Repair> repairs;   // newest first
    bool repairs_to_keep = false;  // the open file does not have them yet
};

template <typename Work>
auto Mirror::Parts::attempt(Result<storage::Database*> (Parts::*connect)(), const Work& work)
    -> decltype(work(std::declval<storage::Database&>()))
{
    // Found sound, and broken all the same: then nothing but a new file helps.
    constexpr int max_tries = 3;
    for (int tries = 1;; ++tries) {
        auto open = (this->*connect)();
        auto outcome = open ? work(**open) : decltype(work(**open))(std::move(open).error());
        record_writing();
        if (!outcome && open && outcome.error().kind() == ErrorKind::usage) {
            // What SQL cannot do may be for want of a table that somebody dropped.
            if (auto whole = check_objects(**open); !whole && whole.error().kind() == ErrorKind::corrupt) {
                outcome = decltype(work(**open))(std::move(whole).error());
            }
        }
        if (outcome || outcome.error().kind() != ErrorKind::corrupt) {
            return outcome;
        }
        mark_suspect(outcome.error());
        if (!passes.empty() || tries == max_tries) {
            return outcome;
        }
    }
}

template <typename Work>
auto Mirror::Parts::with_file(const Work& work) -> decltype(work(std::declval<storage::Database&>()))
{
    return attempt(&Parts::connection, work);
}

template <typename Work>
auto Mirror::Parts::with_sound_file(const Work& work) -> decltype(work(std::declval<storage::Database&>()))
{
    return attempt(&Parts::sound_connection, work);
}

template <typename Work>
auto Mirror::Parts::in_transaction(const Work& work) -> decltype(work(std::declval<storage::Database&>()))
{
    return with_sound_file([&work](storage::Database& connected) -> decltype(work(connected)) {
        SHELFD_TRY_ASSIGN(transaction, storage::Transaction::begin(connected));
        auto outcome = work(connected);
        if (!outcome) {
            return outcome;
        }
        SHELFD_TRY(transaction.commit());
        return outcome;
    });
}

}  // namespace shelfd::mirror
