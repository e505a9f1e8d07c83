// The status of the daemon: plain values, and the sentence and exit code made from them.
#pragma once

#include "base/instant.hpp"
#include "base/state/exit_code.hpp"
#include "base/state/phase.hpp"
#include "base/state/table_state.hpp"
#include "base/state/token_state.hpp"
#include "base/state/trouble.hpp"
#include "control/model/cause.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::control {

// For a library: the first state in precedence among its tables, except retired ones.
using State = TableState;

// A measured or configured fact, for people: {"old token dies", "at once"}.
struct Fact {
    std::string name;
    std::string value;
};

// The number of refreshes with that outcome: {"granted", 12}.
struct RefreshCount {
    std::string outcome;
    std::uint64_t count = 0;
};

// Durations: how many, their sum, and how many are within each bound, including shorter ones.
struct Histogram {
    struct Class {
        Duration bound{};
        std::uint64_t count = 0;
    };
    std::vector<Class> classes;  // bounds ascending
    std::uint64_t count = 0;
    Duration sum{};
};

// As configured, or by the origin of the set. A personal token acts on the library that its user is in.
enum class TokenKind { service_account, personal };

const char* to_string(TokenKind kind);

struct TokenStatus {
    TokenState state = TokenState::none;
    bool needs_person = false;
    bool access_usable = false;  // syncing continues
    std::uint64_t generation = 0;
    std::optional<Instant> since;  // of the state
    std::optional<Instant> expires_at;
    std::optional<Instant> last_refresh;
    std::optional<Instant> next_refresh;
    std::optional<Instant> deadline;           // when syncing ends unless somebody acts
    std::string reason;                        // one sentence; "" = none
    std::string do_this;                       // what to type; "" = nothing
    std::string next;                          // what the daemon does by itself, after "the daemon"; "" = nothing
    std::optional<TroubleSource> unreachable;  // why the service cannot be asked about the token, as long as that is so
    std::string journal_trouble;               // of a copy of the journal; "" = none
    std::string clock_trouble;                 // of this machine's clock; "" = none known
    int journal_copies = 0;                    // complete copies of the set on disk
    std::optional<TokenKind> kind;             // empty = not known
    std::vector<Fact> facts;
    std::vector<RefreshCount> refreshes;           // since the daemon began to keep the set; every outcome, also with 0
    std::uint64_t refresh_attempts = 0;            // likewise, begun
    Histogram answer_to_durable;                   // from the last byte of an answer until it was on disk
    std::optional<Duration> last_byte_to_durable;  // the newest of these
};

// Requests of one kind: {"recipes", "page", 12}; resource "" = for all of them.
struct RequestCount {
    std::string resource;
    std::string reason;
    std::uint64_t count = 0;
};

// The copies made for `[snapshot] every`.
struct SnapshotStatus {
    std::optional<Instant> made_at;
    std::string trouble;           // why no copy was made since; "" = no trouble
    std::optional<Instant> since;  // of the trouble
};

struct BudgetStatus {
    std::string group;
    std::optional<std::uint32_t> limit;       // requests a minute, now in force; empty = unlimited
    std::optional<std::uint32_t> configured;  // likewise, `rate_limit`
    std::string narrowed_by;                  // why `limit` is lower; "" = it is not
    std::uint32_t used = 0;                   // of the limit, now
    std::uint32_t in_flight = 0;
    std::uint32_t waiting = 0;            // requests that wait for the limit, or for one of `in_flight`
    std::uint64_t requests = 0;           // sent since the daemon started
    std::optional<Instant> paused_until;  // the service asked for a pause
    std::uint32_t foreign = 0;            // of the limit, used by other programs, by the service's count
    std::string user = {};                // of the service, whose libraries share the limit for that reason; "" = none
    std::vector<std::string> libraries = {};  // all that share the limit, if there are others
    // Requests a minute that the schedules need, of all that share the limit; not less than that.
    double needed = 0;
};

// Who reads the change feed under a name, as of the last publication or acknowledgement.
struct FeedConsumer {
    std::string name;
    std::string position;                  // acknowledged
    std::uint64_t waiting = 0;             // changes after it
    std::optional<Instant> waiting_since;  // when the first of them was seen
    std::optional<Instant> kept_until;     // when that one is removed, whether it is acknowledged or not
    Instant acknowledged_at;
    std::string acknowledged_by;           // a user
    bool holds_back = false;               // that change is kept for it alone
    bool must_read_tables = false;         // changes after its position are no longer kept, or were never in this feed
    std::vector<std::string> loaded = {};  // tables that received rows after its position that no change tells of
};

// A pass under way.
struct Running {
    Instant started;
    Phase phase = Phase::identity;
    std::uint32_t page = 0;                         // being fetched, from 1
    std::uint32_t pages = 0;                        // expected in all; 0 = not known yet
    std::uint64_t rows = 0;                         // staged so far
    std::uint64_t count = 0;                        // the service's count of rows in the list; 0 = not known yet
    double rows_per_second = 0;                     // 0 = not known yet
    std::optional<Duration> eta;                    // time left
    std::string note;                               // the trouble that the pass waits for; "" = none
    TroubleSource source = TroubleSource::service;  // of that trouble
    bool stands_still = false;                      // because of that trouble, for so long that it is reported
    std::optional<Instant> waits_for_limit_since;   // its next request waits since then, because the limit is used up
    std::optional<Instant> next_request_at;         // not earlier
    std::uint64_t list = 0;   // for lists by parent, from 1; page, rows and count are those of this list
    std::uint64_t lists = 0;  // 0 = no lists by parent
    std::string limit = {};   // for which its next request waits: "6 requests a minute"; "" = for none
};

// "page 2 of 5", "list 3 of 40, page 2"; "" if no page is being fetched yet.
std::string describe_place(const Running& running);

enum class RunResult { published, failed };

const char* to_string(RunResult result);

// How a pass ended.
struct RunReport {
    std::string run_id;
    std::string mode = "full";
    Instant started;
    Instant finished;
    RunResult result = RunResult::published;
    std::string error;  // one sentence; "" if published
    bool proven = false;
    std::uint64_t requests = 0;
    std::uint64_t pages = 0;
    std::uint64_t rows = 0;  // in the table afterwards
    std::uint64_t added = 0;
    std::uint64_t changed = 0;
    std::uint64_t deleted = 0;
};

// The status of a table of details.
struct DetailStatus {
    double share = 0;           // of the list's rows, fetched
    std::uint64_t pending = 0;  // new, changed, never fetched, or postponed after a failure
    std::uint64_t gone = 0;     // the service has no detail for them
    std::optional<Instant> oldest;
};

// What the rounds of a table have published.
struct PublishedStatus {
    struct Round {
        std::string run_id;
        std::uint64_t added = 0;
        std::uint64_t changed = 0;
        std::uint64_t deleted = 0;
    };
    std::string run_id;  // of the last one; "" = there is none, or its line in the mirror is no longer kept
    std::uint64_t run_added = 0;
    std::uint64_t run_changed = 0;
    std::uint64_t run_deleted = 0;
    Instant since;  // when the library was opened; from then on these are counted:
    std::uint64_t rounds = 0;
    std::uint64_t added = 0;
    std::uint64_t changed = 0;
    std::uint64_t deleted = 0;
    std::vector<Round> earlier;  // of the last minute before the newest of them ended, that one first
    std::string feed_position;   // the newest one of the mirror when that was read; "" = not known
};

// A filter of `incremental` that is not relied on, so every pass walks the whole list.
struct FilterTrouble {
    std::string why;  // one sentence
    std::string do_this;
    std::optional<Instant> since;  // the newest test
};

// Why a table is as it is.
struct TableReason {
    std::string why;                                // one sentence; "" = none
    bool why_tells_quiet = false;                   // it tells the end of the quiet hours
    std::string do_this;                            // what to type; "" = nothing
    Trouble trouble = Trouble::none;                // of the last pass
    TroubleSource source = TroubleSource::service;  // of that trouble
    std::string missing_scope;                      // that the table needs and the token set lacks; "" = none
    std::optional<Instant> since;                   // of the trouble
    bool is_of_column = false;                      // a column has a kind that does not fit its values any more
};

struct ResourceStatus : TableReason {
    std::string name;
    State state = State::filling;
    std::uint64_t rows = 0;
    std::uint64_t held = 0;  // of these rows, no longer listed and waiting for a person
    std::optional<Instant> as_of;
    std::optional<Instant> proven_as_of;
    std::optional<Instant> complete_from;  // for a ledger: without a gap up to the newest proof
    std::optional<Instant> complete_to;
    std::optional<Instant> late_at;
    std::optional<Instant> next_due;
    std::optional<Instant> quiet_until;  // `next_due`, if the next pass waits for the end of the quiet hours
    bool repeats_pass = false;  // rows may have moved while the last pass read the list, so it is repeated at once
    std::optional<Running> running;
    std::optional<RunReport> last_run;
    std::optional<DetailStatus> detail;
    std::optional<FilterTrouble> filter;
    PublishedStatus published;
    std::uint64_t passes = 0;  // ended since the daemon started
    std::uint64_t passes_failed = 0;
    std::uint64_t requests = 0;
};

// What the daemon did because a file of a library was damaged, replaced or removed.
struct Repair {
    Instant at;
    std::string what;   // "the mirror", "a copy of the token set"
    std::string file;   // "" = `found` names it
    std::string found;  // follows `what`
    std::string done;   // one sentence without a full stop
    std::string aside;  // where the old file is; "" = it was gone, or there is none

    std::string text() const { return what + " " + found + "; " + done; }
};

// A bug in this program by which the passes of a library have ended.
struct BugStatus {
    std::string what;         // the task and the text of its exception
    Instant since;            // of the first one in a row
    std::uint32_t times = 1;  // in a row
    Instant again_at;         // when the library starts again by itself
    std::string do_this;
};

// A library that the daemon stops and opens again: a token exchange under way is completed in between.
struct RestartStatus {
    std::string why;  // after "is being opened again"
    Instant since;
};

struct LibraryStatus {
    std::string name;
    std::optional<BugStatus> bug;
    std::optional<RestartStatus> restart;  // while it lasts, the rest says what was so before
    std::string origin;                    // base_url
    std::string library_id;                // "" = not known yet
    bool identity_verified = false;
    std::string identity_trouble;  // why it is not known whose rows are served, and what to configure; "" = none
    std::string mirror;            // path of the file to read
    std::vector<Repair> repairs;   // within the last week, newest first
    std::uint64_t wal_bytes = 0;
    std::optional<Instant> wal_pinned_since;      // since then no checkpoint could copy all of it back
    std::vector<std::uint64_t> wal_readers = {};  // processes that prevent it, as far as they are known
    std::string note;                             // from the configuration
    std::string contact;                          // likewise: the operator of the service
    TokenStatus token;
    BudgetStatus budget;
    SnapshotStatus snapshot;
    std::vector<FeedConsumer> consumers;    // by name
    std::vector<RequestCount> requests;     // since the daemon started, except those that are 0
    std::vector<ResourceStatus> resources;  // in configuration order, retired ones last
};

// Trouble of the daemon itself: a refused reload, a missing group.
struct Notice {
    std::string text;
    std::string do_this;
    std::optional<Instant> since;
    std::string next = {};      // what the daemon does by itself, after "the daemon"; "" = nothing that is known
    std::string absent = {};    // the library that is not running for that reason; "" = another notice
    bool is_full_disk = false;  // that of the mirrors: where a table says so, this is no other problem
};

struct Status {
    std::string version;
    std::int64_t pid = 0;
    Instant now;  // when this was true
    Instant started;
    std::string config_file;
    Instant config_loaded;
    std::vector<Notice> notices;
    std::vector<std::string> absent;       // configured libraries that do not run
    std::vector<LibraryStatus> libraries;  // in configuration order
    std::vector<Cause> problems;           // what is wrong, as alerts see it
};

// The state of a library: the first in precedence among its tables; paused only if all tables are paused. `filling` for
// a library without tables.
State state_of(const LibraryStatus& library);

// The word shown for it: "restarting" while it is opened again, "bug" if a bug has stopped it, otherwise that of its
// state.
const char* state_word(const LibraryStatus& library);

// The exit code for scripts and checks: done if all is fresh (or paused); failed, if late or filling, or if somebody
// has to act on something else; needs_person. `library` limits the question to one; "" = all.
ExitCode exit_code(const Status& status, std::string_view library = "");

// One sentence for `status` and systemd's STATUS=: "2 libraries: antwerp needs a person; ghent fresh".
std::string headline(const Status& status);

}  // namespace shelfd::control
