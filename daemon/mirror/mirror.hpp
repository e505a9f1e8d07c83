// The SQLite file of one library: a table for each resource, and what the mirror knows about itself.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "mirror/file/options.hpp"
#include "mirror/file/repairs.hpp"
#include "mirror/pass.hpp"
#include "mirror/records/discovery.hpp"
#include "mirror/rows/changes_between.hpp"
#include "mirror/values/details.hpp"
#include "mirror/values/held.hpp"
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

namespace shelfd::mirror {

// Small facts about the library, kept with its rows.
enum class Fact {
    token_generation,  // newest generation of the token set this mirror has worked with
    library_id,        // who the canary answered as, pinned
    origin,            // base_url the rows come from
    snapshot_at,       // when the last snapshot was made
};

// Every call blocks; all are made in the library's lane, one at a time. Exactly one Mirror in the world writes a file.
// Errors: storage, busy from SQLite; usage for names that cannot be tables. A file that is broken, or that somebody
// else wrote and broke, is set aside by whichever call meets that, and an empty one begun (`take_notice` says so);
// where passes are open they get `corrupt` and must end first.
class Mirror {
public:
    // Touches no file; any call may make this.
    explicit Mirror(MirrorOptions options);
    ~Mirror();

    // The first call that needs the file does the same. Makes what is missing, changes nothing that is there. A file by
    // a newer shelfd is refused untouched (usage).
    Result<void> open();
    // Tables are there from now on, even if empty. Resources not named any more keep their rows and are `retired`.
    Result<void> declare(std::vector<ResourceSpec> resources);

    Result<std::unique_ptr<Pass>> begin_pass(const std::string& resource, const PassStart& start);

    Result<void> set_state(const std::string& resource, const ResourceState& state);
    Result<void> record_run(const RunRecord& run);

    // As readers see it in `freshness`; nothing of a table that is not declared.
    Result<std::optional<ResourceSummary>> summary(const std::string& resource);

    // What is known of the slices of a resource, in the order of their places.
    Result<std::vector<SliceFacts>> slices(const std::string& resource);
    // Of a ledger: whether rows left their windows, and are in none that was walked since, as far as is known.
    Result<bool> has_departed(const std::string& resource);
    // What is wrong with windows of a ledger; kept until it is noted that they are good.
    Result<void> record_trouble(const std::string& resource, const std::vector<SliceTrouble>& windows);
    // Whether the last complete pass lacked the row whose key is `key` (JSON text); true where there is none.
    Result<bool> is_missing(const std::string& resource, const std::string& key);

    // What the rows of a table have as `member`, to name the lists of another one. Errors: config.
    Result<ParentRows> parent_rows(const std::string& resource, const std::string& member);
    // The rows of all lists but those of `parents` leave the table. How many. Where these are many, they stay until
    // the table of parents was published once more and lacks them as well. Errors: busy while a pass over the resource
    // is open.
    Result<std::uint64_t> drop_other_lists(const std::string& resource, const ParentRows& parents,
                                           const PassStart& start);
    // When the round began that did not reach all lists yet; nothing: there is none. Our clock.
    Result<std::optional<Instant>> round_at(const std::string& resource);
    Result<void> begin_round(const std::string& resource, Instant at);
    // In one transaction with the line of the run so far. A run of several lists has one line, and `run.requests` and
    // `run.reasons` are those of all of it.
    Result<void> record_failed_lists(const std::string& resource, std::span<const MissedList> missed,
                                     const RunRecord& run);
    Result<ListsStanding> end_round(const std::string& resource, const RoundEnd& end);

    Result<Discovery> discovery(const std::string& resource);
    Result<void> set_discovery(const std::string& resource, const Discovery& discovery);

    // As of when the last published run over the whole list was, but for `run_id`; nothing where there is none.
    Result<std::optional<Instant>> last_whole_run(const std::string& resource, const std::string& run_id);

    Result<std::vector<CanaryFitness>> canaries();
    Result<void> record_canary(const CanaryFitness& fitness);

    Result<std::optional<std::string>> fact(Fact fact);
    Result<void> set_fact(Fact fact, std::string_view value);

    // The item whose key is `key` (JSON text: 42, "abc", [1,"a"]) as the service sent it: equal as JSON, numbers by
    // their text, instants by the instant. nothing when there is no such row.
    Result<std::optional<std::string>> item(const std::string& resource, const std::string& key);

    // Keys (JSON text) of at most `most` rows, chosen by `random` in [0, 1).
    Result<std::vector<std::string>> sample_keys(const std::string& resource, std::uint64_t most, double random);

    // Chooses the kind of a column anew, from the values that are there. Takes as long as it takes to write the table.
    // Errors: busy while a pass over the resource is open; not_found; usage for a key column.
    Result<RetypeOutcome> retype(const std::string& resource, const std::string& column);

    // Of a resource with details: how far they are, at this moment. `again_before`: fetched before then, an item is due
    // again.
    Result<DetailFacts> details(const std::string& resource, Instant again_before);
    // Those at the head of the line, changed rows first.
    Result<std::vector<DetailItem>> next_details(const std::string& resource, const DetailShare& share);
    // Makes all answers of a batch visible in one transaction; an item that cannot be read is postponed, the others
    // go on. Answers for rows that left the list meanwhile are dropped.
    Result<DetailOutcome> put_details(const std::string& resource, const DetailRun& run,
                                      std::span<const DetailAnswer> answers);

    Result<HeldList> held(const std::string& resource, std::size_t most);
    // One transaction. Errors: busy while a pass over the resource is open; not_found for a key that is not held.
    Result<HeldOutcome> decide(const std::string& resource, const HeldDecision& decision);

    // PASSIVE after a run that matters, TRUNCATE when idle. False when a reader pins the WAL.
    Result<bool> checkpoint(storage::CheckpointMode mode);
    // PASSIVE, if the change feed has gone on since the last one: a power cut takes back what only the WAL has, and
    // positions of the feed would be given out a second time.
    Result<void> checkpoint_feed();
    std::uint64_t wal_bytes() const;
    // While passes are open and none of them goes on for a while: lets go of what is cheap to read again.
    void release_memory();
    // Lets go of the file handle and its memory; the next call opens it again. Nothing while a pass is open.
    Result<void> close_idle();
    // Both may be asked by any thread: whether there is a handle to let go of, and whether others want its place.
    bool is_open() const;
    bool handle_wanted_elsewhere() const;
    // -wal and -shm are made anew where somebody removed them, a foreign program that closed the file as the last one,
    // say: without them nobody can read who may not write. Cheap where both are there.
    Result<void> keep_readable();

    // Somebody else read the file and met this, corrupt: the next call looks at it more closely.
    void mark_suspect(const Error& met);
    // Whether one of the next two has something to tell. Any thread.
    bool has_news() const;
    // Something a person should hear, once: "mirror of antwerp was broken (…), set aside as …, and is filled anew".
    std::optional<std::string> take_notice();
    // Whether the file was begun anew since this was asked last: then every table is empty, not only the one at hand.
    bool take_rebuilt();
    // What was done to the file by itself, newest first, as far as that is kept.
    const std::vector<Repair>& repairs() const;
    std::string path() const;

private:
    struct Parts;
    Result<DetailOutcome> put_details_once(const std::string& resource, const DetailRun& run,
                                           std::span<const DetailAnswer> answers);
    std::unique_ptr<Parts> parts_;
};

}  // namespace shelfd::mirror
