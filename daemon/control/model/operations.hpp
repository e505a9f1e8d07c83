// What the control socket may ask of the daemon: functions that the composition root fills in.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "control/model/alerts.hpp"
#include "control/model/inquiries.hpp"
#include "control/model/status.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::control {

namespace asio = boost::asio;

enum class Extent {
    ordinary,  // what the schedule would do next
    full,      // a full pass, whatever the schedule would do
};

enum class Waiting {
    until_done,
    background,  // return as soon as the passes are asked for
};

struct SyncRequest {
    std::string library;
    std::string resource;  // "" = all of the library
    Extent extent = Extent::ordinary;
    std::string from;  // of a ledger: walk these days or instants again, both included; "" = not said
    std::string to;
    Waiting waiting = Waiting::until_done;
    std::optional<Duration> if_older;  // tables as of less than that ago are left alone
    bool dry_run = false;              // only tell what would be asked
};

// A pass that a dry run tells of.
struct PlannedPass {
    std::string mode;
    std::string why;     // one sentence
    std::string target;  // of its first request
    bool tries_filter = false;
    bool asks_identity = false;             // a canary before and behind it, unless one was asked just now
    std::optional<std::uint64_t> requests;  // without these; nothing = nobody knows yet
};

struct ProgressEvent {
    std::string library;
    std::string resource;
    // A pass under way, or the end of one; neither: it waits for its turn.
    std::optional<Running> running;
    std::optional<RunReport> ended;
    std::optional<PlannedPass> planned;  // of a dry run
    std::optional<Instant> young_as_of;  // the table is not old enough: nothing is done
};

// Called on the loop, any number of times, cheap; never after the operation it was given to has ended.
using ProgressSink = std::function<void(const ProgressEvent&)>;

enum class Sealing {
    seal,         // rotate at once, so that the pasted copy is dead
    no_seal,      // use it as it is
    access_only,  // keep no refresh token: works until the access token ends
};

struct ImportRequest {
    std::string library;
    Secret pasted;  // as the person pasted it: JSON or name=value lines
    Sealing sealing = Sealing::seal;
    bool force = false;  // access_only: though that destroys a refresh token which may be good
};

struct ImportReport {
    std::string library_id;  // who the set answers as, "" = could not be asked
    bool sealed = false;
    std::optional<Instant> expires_at;
    std::string text;  // one sentence for people; holds nothing secret
};

// Where a person logs in, and what the address must hold.
struct LoginPlace {
    std::string authorize_url;  // without its query
    std::string client_id;
    std::string redirect_uri;
    std::vector<std::string> scopes;
    bool identity = false;  // something tells whose library a token is of
};

struct CodeRequest {
    std::string library;
    Secret code;
    Secret verifier;  // of PKCE
    std::string redirect_uri;
};

struct RevealedToken {
    Secret access_token;
    std::optional<Instant> expires_at;
};

struct ReloadReport {
    std::vector<std::string> changes;  // "library ghent added", …; empty: nothing changed
    std::vector<std::string> warnings;
};

struct RetypeRequest {
    std::string library;
    std::string resource;
    std::string column;
};

struct RetypeReport {
    std::string before;  // kinds, as `_columns` names them
    std::string after;
    std::uint64_t rows = 0;  // written anew; 0 when the kind is the same
};

struct HeldRequest {
    std::string library;
    std::string resource;
};

// Rows that are not listed any more and wait, each with its key as JSON text.
struct HeldReport {
    struct Row {
        std::string key;
        Instant since;
        bool kept = false;  // a person said that it stays
        std::string why;
    };
    std::vector<Row> rows;  // the longest held first, not more than people read
    std::uint64_t waiting = 0;
    std::uint64_t kept = 0;
};

enum class Fate { accept, keep };  // they were deleted, and go now; they stay

struct DecideRequest {
    std::string library;
    std::string resource;
    std::vector<std::string> keys;  // none = all that wait
    Fate fate = Fate::keep;
};

struct DecideReport {
    std::uint64_t rows = 0;  // that it was about
    std::uint64_t left = 0;  // that still wait
};

struct SnapshotReport {
    std::string path;
    std::uint64_t tables = 0;
    std::uint64_t bytes = 0;
};

// Every function is called on the loop and is there (not empty). Error texts are shown to people as they are; the kind
// becomes the HTTP status: usage 400, permission 403, not_found 404, busy and needs_person 409, config 422,
// throttled 429, stopped 503, storage and corrupt 507, the others 502. A coroutine that is cancelled (the client went
// away, its time is over, the daemon stops) gives up waiting; what was begun in the daemon goes on.
struct Operations {
    std::function<Status()> status;
    // Whether that library runs, and has that table ("" = any): cheaper than `status`, which says what there is.
    std::function<bool(const std::string& library, const std::string& resource)> knows;
    // Returns when something in status may have changed; too often is allowed, too late is not (`wait` looks again
    // every second all the same).
    std::function<asio::awaitable<void>()> changed;
    // Ends when the passes asked for have ended. An Error when one of them failed, or there is no such table.
    std::function<asio::awaitable<Result<void>>(SyncRequest, ProgressSink)> sync;
    // All or nothing. Error config: the text has one fault a line, and the running configuration stays.
    std::function<asio::awaitable<Result<ReloadReport>>()> reload;
    std::function<asio::awaitable<Result<ImportReport>>(ImportRequest)> import_set;
    std::function<Result<LoginPlace>(const std::string& library)> login_place;
    // Redeems the code of a login.
    std::function<asio::awaitable<Result<ImportReport>>(CodeRequest)> redeem_code;
    // Marks the set as moved to `where`, then tells it; the text is a secret.
    std::function<asio::awaitable<Result<Secret>>(std::string library, std::string where)> move_out;
    std::function<asio::awaitable<Result<ImportReport>>(std::string library, Secret document)> move_in;
    // "This copied or restored store is mine": refreshes are allowed again.
    std::function<asio::awaitable<Result<void>>(std::string library)> adopt;
    std::function<asio::awaitable<Result<void>>(std::string library)> forget;
    // The access token as it is; never refreshes.
    std::function<asio::awaitable<Result<RevealedToken>>(std::string library)> reveal_token;
    // A copy of the mirror as it is now, in place of the last one.
    std::function<asio::awaitable<Result<SnapshotReport>>(std::string library)> snapshot;
    // Chooses the kind of a column anew, from the values that are there.
    std::function<asio::awaitable<Result<RetypeReport>>(RetypeRequest)> retype;
    std::function<asio::awaitable<Result<HeldReport>>(HeldRequest)> held;
    // Waits for a pass that is under way.
    std::function<asio::awaitable<Result<DecideReport>>(DecideRequest)> decide;
    // One GET with the library's token, which nobody gets to see.
    std::function<asio::awaitable<Result<GetReport>>(GetRequest)> get;
    std::function<asio::awaitable<Result<void>>(VerifyRequest, VerifySink)> verify;
    std::function<asio::awaitable<Result<void>>(ProbeRequest, ProbeSink)> probe;
    std::function<AlertReport()> alerts;
    // Calls it once, now.
    std::function<asio::awaitable<Result<void>>(std::string hook)> test_hook;
    // Until when; nothing when a silence has ended.
    std::function<asio::awaitable<Result<std::optional<Instant>>>(SilenceRequest)> silence;
};

}  // namespace shelfd::control
