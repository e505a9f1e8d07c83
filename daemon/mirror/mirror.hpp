// The SQLite file of one library: a table for each resource, and what the mirror records about itself.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "mirror/file/options.hpp"
#include "mirror/file/repairs.hpp"
#include "mirror/pass.hpp"
#include "mirror/records/discovery.hpp"
#include "mirror/rows/dated_changes.hpp"
#include "mirror/values/details.hpp"
#include "mirror/values/feed_consumer.hpp"
#include "mirror/values/held.hpp"
#include "mirror/values/library_record.hpp"
#include "mirror/values/lists.hpp"
#include "mirror/values/specs.hpp"
#include "mirror/values/standing.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace shelfd::mirror {

// Facts about the library, stored with its rows.
enum class Fact {
    token_generation,  // newest generation of the token set with which this mirror was filled
    library_id,        // the library that the canary identified; pinned
    origin,            // base_url from which the rows come
    snapshot_at,       // time of the last snapshot
};

// All calls block and must be made in the library's lane, one at a time. Only one Mirror may write a file. Errors:
// storage, busy from SQLite; usage for names that cannot be tables. The call that finds the file broken, also by
// another program, sets it aside and begins an empty one (see `take_notice`); if passes are open, they get kind corrupt
// and must end first.
class Mirror {
public:
    // Accesses no file.
    explicit Mirror(MirrorOptions options);
    ~Mirror();

    // Opens the file, as the first call that needs it would. Creates what is missing, and changes nothing else. Does
    // not touch a file of a newer shelfd (usage).
    Result<void> open();
    // Creates the tables. Other resources keep their rows and become `retired`.
    Result<void> declare(std::vector<ResourceSpec> resources);

    Result<std::unique_ptr<Pass>> begin_pass(const std::string& resource, const PassStart& start);

    Result<void> set_state(const std::string& resource, const ResourceState& state);
    Result<void> record_run(const RunRecord& run);
    Result<void> record_act(const ActRecord& act);
    // Stores the state, and who asked for a run in the row of that run, if there is one; all in one transaction. Makes
    // the change feed durable if it has grown: a power failure would remove what only an unsynced WAL has, and its
    // positions would be used again.
    Result<StoredState> store_state(const std::string& resource, const ResourceState& state,
                                    const std::optional<RunAsker>& asker);

    // The row of the view `freshness`; an empty optional for a table that is not declared.
    // `run`: whether its newest pass is wanted, for which `_runs` is searched.
    Result<std::optional<ResourceSummary>> summary(const std::string& resource, NewestRun run = NewestRun::left_out);

    // Returns what is known of the slices of a resource, in the order of their places.
    Result<std::vector<SliceFacts>> slices(const std::string& resource);
    // For a ledger: true if rows left their windows, and are in none that was walked since, as far as is known.
    Result<bool> has_departed(const std::string& resource);
    // Stores problems of windows, or of lists by parent, until a record without a problem replaces them.
    Result<void> record_trouble(const std::string& resource, const std::vector<SliceTrouble>& windows);
    // True if the last complete pass lacked the row with this key (JSON text), or there is no such row.
    Result<bool> is_missing(const std::string& resource, const std::string& key);

    // Returns the values of `member` in a table, which name the lists of another one. Errors: config.
    Result<ParentRows> parent_rows(const std::string& resource, const std::string& member);
    // Removes the rows of all lists that are not in `parents`, and returns their number. If there are many, they stay
    // until another publication of the table of parents lacks them as well. Errors: busy while a pass over the resource
    // is open.
    Result<std::uint64_t> drop_other_lists(const std::string& resource, const ParentRows& parents,
                                           const PassStart& start);
    // Start, by our clock, of a round that has not reached all lists; an empty optional if there is none.
    Result<std::optional<Instant>> round_at(const std::string& resource);
    Result<void> begin_round(const std::string& resource, Instant at);
    // Stores failed lists and the row of the run so far, in one transaction. A run of several lists has one row;
    // `run.requests` and `run.reasons` are its totals.
    Result<void> record_failed_lists(const std::string& resource, std::span<const MissedList> missed,
                                     const RunRecord& run);
    Result<ListsStanding> end_round(const std::string& resource, const RoundEnd& end);

    Result<Discovery> discovery(const std::string& resource);
    Result<void> set_discovery(const std::string& resource, const Discovery& discovery);

    // The as_of of the last published run over the whole list, except `run_id`; an empty optional if there is none.
    Result<std::optional<Instant>> last_whole_run(const std::string& resource, const std::string& run_id);

    Result<std::vector<CanaryFitness>> canaries();
    Result<void> record_canary(const CanaryFitness& fitness);

    // See records/library.hpp.
    Result<bool> record_library(const LibraryRecord& record);
    Result<std::optional<RecordedTokenState>> recorded_token_state();

    Result<std::vector<FeedConsumer>> feed_consumers();
    // See records/feed_consumers.hpp.
    Result<void> acknowledge(const Acknowledgement& said);
    Result<void> forget_feed_consumer(const Acknowledgement& said);

    Result<std::optional<std::string>> fact(Fact fact);
    Result<void> set_fact(Fact fact, std::string_view value);

    // Returns the item with this key (JSON text: 42, "abc", [1,"a"]) as the service sent it: equal as JSON, numbers by
    // their text, instants as times. Empty optional: no such row. Errors: usage, for a text that is not a key of the
    // table.
    Result<std::optional<std::string>> item(const std::string& resource, const std::string& key);

    // Returns the keys (JSON text) of at most `most` rows, chosen by `random` in [0, 1).
    Result<std::vector<std::string>> sample_keys(const std::string& resource, std::uint64_t most, double random);

    // Chooses the kind of a column again, from its present values. Rewrites the table. Errors: busy while a pass over
    // the resource is open; not_found; usage for a key column.
    Result<RetypeOutcome> retype(const std::string& resource, const std::string& column);

    // Returns how complete the details of a resource are now. Items fetched before `again_before` are due again.
    Result<DetailFacts> details(const std::string& resource, Instant again_before);
    // Items that were postponed after a failure are due at once.
    Result<void> end_postponement(const std::string& resource);
    // Returns the items to fetch next, changed rows first.
    Result<std::vector<DetailItem>> next_details(const std::string& resource, const DetailShare& share);
    // Publishes all answers of a batch in one transaction. Postpones items that cannot be read. Drops answers for rows
    // that have left the list.
    Result<DetailOutcome> put_details(const std::string& resource, const DetailRun& run,
                                      std::span<const DetailAnswer> answers);

    Result<HeldList> held(const std::string& resource, std::size_t most);
    // Applies a decision in one transaction. Errors: busy while a pass over the resource is open; not_found for a key
    // that is not held.
    Result<HeldOutcome> decide(const std::string& resource, const HeldDecision& decision);

    // Use PASSIVE after a run that matters, TRUNCATE when idle. Returns false if a reader pins the WAL.
    Result<bool> checkpoint(storage::CheckpointMode mode);
    // Makes the change feed durable, and copies the WAL into the file unless a reader prevents it, if the feed has
    // grown since the last call.
    Result<void> checkpoint_feed();
    std::uint64_t wal_bytes() const;
    // Other processes inside a read transaction, as far as the kernel names them. Blocks for a moment.
    std::vector<pid_t> wal_readers() const;
    // Frees memory that is cheap to read again. For open passes that do not advance for a while.
    void release_memory();
    // Closes the file and frees its memory; the next call opens it again. Does nothing while a pass is open.
    Result<void> close_idle();
    // Any thread: whether the file is open, and whether other mirrors need its handle.
    bool is_open() const;
    bool handle_wanted_elsewhere() const;
    // Restores -wal and -shm if somebody removed them, for example a foreign program that closed the file last. Without
    // them, users who may not write cannot read. Cheap if both exist.
    Result<void> keep_readable();
    // Sets the rights of MirrorOptions::readers again.
    void renew_access();
    // Why these readers have no right to the files, by the last attempt; empty: they have it.
    const std::optional<Error>& closed_to_readers() const;

    // Another reader found the file corrupt: the next call checks it.
    void mark_suspect(const Error& met);
    // True if the file was replaced and `take_notice` was not called since. Any thread.
    bool has_news() const;
    // Returns a message for people, once: "mirror of antwerp was broken (…), set aside as …, and is filled anew".
    std::optional<std::string> take_notice();
    // True if the file was replaced since the last call: then all tables are empty.
    bool take_rebuilt();
    // Automatic repairs of the file, newest first, as far as they are stored.
    const std::vector<Repair>& repairs() const;
    std::string path() const;

private:
    struct Contents;
    Result<DetailOutcome> put_details_once(const std::string& resource, const DetailRun& run,
                                           std::span<const DetailAnswer> answers);
    std::unique_ptr<Contents> contents_;
};

}  // namespace shelfd::mirror
