// The SQLite file of one library: a table for each resource, and what the mirror knows about itself.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "mirror/detail_facts.hpp"
#include "mirror/changes_between.hpp"
#include "mirror/discovery.hpp"
#include "mirror/handle_pool.hpp"
#include "mirror/pass.hpp"
#include "mirror/repairs.hpp"
#include "runtime/clock.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::mirror {

// When so many rows are missing at once that only the next complete pass is believed.
struct DeletionLimits {
    double max_share = 0.2;       // more than this share of the table, and
    std::uint64_t min_rows = 10;  // more than these
};

// How far back the change feed reaches. What goes is its beginning, in whole.
struct ChangeLimits {
    Duration keep = std::chrono::hours(24 * 90);
    std::optional<std::uint64_t> max_rows = {};
};

struct MirrorOptions {
    std::string directory = {};  // of this library: mirrors/LIBRARY; made if absent, its parent is not
    std::string library = {};    // the file is DIRECTORY/LIBRARY.db
    const Clock& clock;
    std::string boot_id = {};  // another one than the mirror saw last: quick_check before the first write; empty: never
    Duration retention = std::chrono::hours(24 * 90);  // of runs, proofs and drift
    ChangeLimits change_limits = {};
    DeletionLimits deletion_limits = {};
    std::shared_ptr<HandlePool> handles = std::make_shared<HandlePool>();  // shared by the mirrors of a process
};

// What the change feed `_changes` says of a changed row.
enum class ChangeDetail {
    values,  // the changed members before and after; of a deleted row, all
    keys,    // only which row, and how
    none,    // nothing at all
};

// Every row's own address is fetched, too, into NAME_detail.
struct DetailSpec {
    std::string address_member = {};  // of the list's items; "": the key alone tells the address
    Duration refresh_within{};        // longest time between two looks at one row
    std::string source = {};          // see ResourceSpec
};

struct ResourceSpec {
    std::string name = {};
    std::vector<std::string> key = {"id"};
    Duration late_after{};         // past as_of; zero: never late
    Duration proven_late_after{};  // past proven_as_of; zero: never late for that
    ChangeDetail changes = ChangeDetail::values;
    std::vector<std::string> exclude = {};  // members that never touch the disk: "created_by.email"
    bool keep_deleted = false;              // rows that go are kept in NAME_deleted until they come back
    std::optional<DetailSpec> detail = {};
    std::string detail_of = {};      // set by `declare`, for the table of details that it makes beside the list's
    std::string source = {};         // which list is asked for, in words of the caller's; another one: proven anew
    std::string filter = {};         // the same of what asks for changes; another one: tried anew
    std::string dated_by = {};       // the member that tells when a row changed, where changes are asked for by it
    std::string axis = {};           // of a sliced table, in words of the caller's; another one: filled anew
    std::string parent_member = {};  // of lists by parent: the first member of the key, which each row gets from us
    std::optional<Instant> begins_at = {};  // of a ledger: the table is filling until it is complete from there on
};

// What keeps a resource from being synced, or nothing. Shown by the view `freshness` from then on.
enum class Blocked { none, paused, wrong_library, needs_person, forbidden };

struct ResourceState {
    Blocked blocked = Blocked::none;
    std::string why = {};               // for people, one sentence; empty: nothing to say
    std::optional<Instant> since = {};  // when it began; default: now, or kept where the word does not change
    std::optional<Instant> next_due = {};
};

// A pass that published nothing. Published ones write their own line.
struct RunRecord {
    std::string run_id = {};
    std::string resource = {};
    std::string mode = "full";
    Instant started = {};
    Instant finished = {};
    std::string result = "failed";  // the other one: "published"
    std::string error = {};         // shown as `why` until the next pass is published
    std::uint64_t requests = 0;
    std::uint64_t pages = 0;
    std::string reasons = {};  // of the requests, as in Proof
};

struct ResourceSummary {
    std::string resource = {};
    std::string state;  // "retired", "paused", …, "late", "fresh", as the view says at this moment
    std::uint64_t rows = 0;
    std::optional<Instant> as_of;
    std::optional<Instant> proven_as_of;
    std::optional<Instant> last_started = {};  // our clock, of the pass that published last; as long as its run is kept
    std::optional<Instant> late_at = {};
    std::optional<Instant> next_due = {};
    std::optional<Instant> since = {};  // of a blocked state
    std::uint64_t candidates = 0;
    std::uint64_t held = 0;
    std::string why = {};
    std::optional<Instant> complete_from = {};  // of a ledger
    std::optional<Instant> complete_to = {};
    std::optional<Instant> proven_late_at = {};  // when the last proof is too old
    std::optional<Instant> held_since = {};      // of the row that has waited longest for a decision
};

// The rows of a table that name the lists of another one.
struct ParentRows {
    std::optional<Instant> as_of = {};        // of the table; nothing: it was never filled
    std::vector<std::string> keys = {};       // what names a list, each once, as JSON text
    bool complete = true;                     // else some rows are not here yet: of a ledger that is not loaded
    std::optional<Instant> lacks_as_of = {};  // of the last pass that could tell that a row is gone
};

// The list of one parent could not be walked.
struct MissedList {
    std::string parent = {};                  // its key as JSON text
    std::string why = {};                     // for people, one sentence
    std::optional<Instant> asked_at = {};     // where the service has spoken, so that asking again soon is no use
    std::optional<Instant> empty_as_of = {};  // where it says that there is no such list: if no row of it is here
};

// How complete a table of lists by parent is.
struct ListsStanding {
    std::uint64_t lists = 0;                   // that there are to be
    std::uint64_t never_asked = 0;             // that were neither walked nor refused yet
    std::uint64_t unwalked = 0;                // that were refused, and never walked
    std::uint64_t missed = 0;                  // that could not be walked when that was last tried
    std::uint64_t rows = 0;                    // of all lists
    std::uint64_t stale = 0;                   // of these, such that rows may be missing, or be of former times
    std::optional<Instant> as_of = {};         // of the oldest list
    std::optional<Instant> proven_as_of = {};  // the same; nothing where one was never proven
    std::string parent = {};                   // of one that was missed: its key as JSON text, and why
    std::string why = {};
};

struct RoundEnd {
    std::vector<std::string> parents = {};  // that name the lists there are to be, as in ParentRows
    Instant parents_as_of = {};
    std::optional<Instant> late_at = {};  // see Proof
    bool over = true;                     // nothing of it is left to do
    std::string error = {};               // why not, for people
};

// Kinds as `_columns` has them; the same twice when the column had the right one.
struct RetypeOutcome {
    std::string before;
    std::string after;
    std::uint64_t rows = 0;  // written anew
};

// A row the service does not list any more, kept since its own address, or another missing row's, still answers.
struct HeldRow {
    std::string key = {};  // JSON text: 42, "abc", [1,"a"]
    Instant since = {};
    bool kept = false;  // a person said that it stays: it waits for nobody
    std::string why = {};
};

struct HeldList {
    std::vector<HeldRow> rows = {};  // the longest held first, so many as were asked for
    std::uint64_t waiting = 0;       // for a decision, in all
    std::uint64_t kept = 0;
};

enum class HeldFate { accept, keep };  // it was deleted, and goes now; it stays until it is listed again

struct HeldDecision {
    HeldFate fate = HeldFate::keep;
    std::vector<std::string> keys = {};  // as in HeldRow, texts also without quotes; none: all that are not kept
};

struct HeldOutcome {
    std::uint64_t rows = 0;  // that the decision was about
    std::uint64_t left = 0;  // that still wait for one
};

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

    // What the rows of a table have as `member`, to name the lists of another one. Errors: config.
    Result<ParentRows> parent_rows(const std::string& resource, const std::string& member);
    // The rows of all lists but those of `parents` leave the table. How many. Where these are many, they stay until
    // the table of parents was published once more and lacks them as well. Errors: busy while a pass over the resource
    // is open.
    Result<std::uint64_t> keep_lists(const std::string& resource, const ParentRows& parents, const PassStart& start);
    // When the round began that did not reach all lists yet; nothing: there is none. Our clock.
    Result<std::optional<Instant>> round_at(const std::string& resource);
    Result<void> begin_round(const std::string& resource, Instant at);
    // In one transaction with the line of the run so far. A run of several lists has one line, and `run.requests` and
    // `run.reasons` are those of all of it.
    Result<void> miss_lists(const std::string& resource, std::span<const MissedList> missed, const RunRecord& run);
    Result<ListsStanding> end_round(const std::string& resource, const RoundEnd& end);

    Result<Discovery> discovery(const std::string& resource);
    Result<void> set_discovery(const std::string& resource, const Discovery& discovery);

    // As of when the last published run over the whole list was, but for `run_id`; nothing where there is none.
    Result<std::optional<Instant>> last_whole_run(const std::string& resource, const std::string& run_id);

    Result<std::vector<CanaryFitness>> canaries();
    Result<void> note_canary(const CanaryFitness& fitness);

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
    Result<void> secure_changes();
    std::uint64_t wal_bytes() const;
    // While passes are open and none of them goes on for a while: lets go of what is cheap to read again.
    void release_memory();
    // Lets go of the file handle and its memory; the next call opens it again. Nothing while a pass is open.
    Result<void> rest();
    // Both may be asked by any thread: whether there is a handle to let go of, and whether others want its place.
    bool is_open() const;
    bool is_crowded() const;
    // -wal and -shm are made anew where somebody removed them, a foreign program that closed the file as the last one,
    // say: without them nobody can read who may not write. Cheap where both are there.
    Result<void> keep_readable();

    // Somebody else read the file and met this, corrupt: the next call looks at it more closely.
    void doubt(const Error& met);
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
