// The file behind a mirror: opened when it is needed, looked at before it is trusted, replaced when it is broken.
#pragma once

#include "mirror/content_hash.hpp"
#include "mirror/handle_pool.hpp"
#include "mirror/mirror.hpp"
#include "mirror/mirror_files.hpp"
#include "mirror/resource_facts.hpp"
#include "storage/sqlite.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace shelfd::mirror {

struct Mirror::Parts {
    explicit Parts(MirrorOptions given) : options(std::move(given)) {}

    // The open file, opened if it is not.
    Result<storage::Database*> connection();
    // The same, known to be sound since this boot: to be asked before anything is written.
    Result<storage::Database*> sound_connection();
    // What `work` does with the sound file becomes true as a whole, or not at all.
    template <typename Work>
    auto in_transaction(const Work& work) -> decltype(work(std::declval<storage::Database&>()));
    // Of the open file: the facts of a table whose rows are to change outside of a pass. Errors: busy, not_found.
    Result<ResourceFacts> facts_to_change(const std::string& resource);
    Result<void> open_file();
    // Somebody who clears up, or puts a copy in its place, does not tell the daemon.
    Result<void> stay_with_file();
    Result<void> stay_with_side_files();
    Result<void> stay_with_content();
    // How far the open file's feed and runs are.
    Result<ContentHash> position();
    // `finding`: what happened to the file, as the end of a sentence about the mirror.
    Result<void> replace(const std::string& finding);
    // Of a file that began anew under the daemon.
    Result<void> declare_again();
    Result<void> declare(std::span<const ResourceSpec> resources);
    // Of a feed that begins now: positions in one that began at another moment mean nothing in it.
    std::string feed_name() const;
    // As declared; of one that is not declared any more, what holds by default.
    ResourceSpec spec_of(const std::string& resource) const;

    MirrorOptions options;
    std::string file = fmt::format("{}/{}.db", options.directory, options.library);
    PooledHandle database{options.handles};
    std::vector<ResourceSpec> specs;
    std::set<std::string> passes;        // resources with an open one
    bool known_sound = false;            // looked at, or written under this boot
    bool suspect = false;                // SQLite found it malformed
    bool rebuilt = false;                // begun anew, and nobody was told yet
    bool undeclared = false;             // begun anew, without its tables yet
    std::optional<FileIdentity> in_use;  // the file that was opened last
    std::optional<FileIdentity> wal_in_use;
    std::optional<FileIdentity> shm_in_use;
    std::optional<std::int64_t> secured;  // the newest change that the file has without its WAL; nothing: not known
    std::optional<ContentHash> left_at;   // the position at which the file was let go of
    std::optional<std::string> notice;
};

template <typename Work>
auto Mirror::Parts::in_transaction(const Work& work) -> decltype(work(std::declval<storage::Database&>()))
{
    auto open = sound_connection();
    if (!open) {
        return std::move(open).error();
    }
    auto transaction = storage::Transaction::begin(**open);
    if (!transaction) {
        return std::move(transaction).error();
    }
    auto outcome = work(**open);
    if (!outcome) {
        return outcome;
    }
    auto done = transaction->commit();
    if (!done) {
        return std::move(done).error();
    }
    return outcome;
}

}  // namespace shelfd::mirror
