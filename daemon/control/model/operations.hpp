// What the control socket may ask of the daemon: an interface, the requests it takes and the reports it returns.
#pragma once

#include "base/held_rows.hpp"
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
    bool dry_run = false;              // only say what would be asked
};

// A pass that a dry run reports.
struct PlannedPass {
    std::string mode;
    std::string why;     // one sentence
    std::string target;  // of its first request
    bool tries_filter = false;
    bool asks_identity = false;             // a canary before and after it, unless one was asked just now
    std::optional<std::uint64_t> requests;  // without these; empty = not known yet
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

struct MoveOutRequest {
    std::string library;
    std::string where;  // the machine it goes to, for the status; "" = not said
};

struct MoveInRequest {
    std::string library;
    Secret document;  // as `move_out` returned it
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

// Rows that are not listed any more and wait; not more of them than people read.
using HeldReport = HeldList;
using Fate = HeldFate;

struct DecideRequest {
    std::string library;
    std::string resource;
    std::vector<std::string> keys;  // none = all that wait
    Fate fate = Fate::keep;
};

using DecideReport = HeldOutcome;

struct SnapshotReport {
    std::string path;
    std::uint64_t tables = 0;
    std::uint64_t bytes = 0;
};

// Every function is called on the loop. Error texts are shown to people as they are; the kind becomes the HTTP status:
// usage 400, permission 403, not_found 404, busy and needs_person 409, config 422, throttled 429, stopped 503, storage
// and corrupt 507, the others 502. A coroutine that is cancelled (the client went away, its time is over, the daemon
// stops) gives up waiting; what was begun in the daemon goes on.
class Operations {
public:
    virtual ~Operations() = default;

    virtual Status status() const = 0;
    // Whether that library runs, and has that table ("" = any): cheaper than `status`, which says what there is.
    virtual bool knows(const std::string& library, const std::string& resource) const = 0;
    // Returns when something in status may have changed; too often is allowed, too late is not (`wait` looks again
    // every second all the same).
    virtual asio::awaitable<void> changed() = 0;
    // Ends when the requested passes have ended. An Error when one of them failed, or there is no such table.
    virtual asio::awaitable<Result<void>> sync(SyncRequest request, ProgressSink sink) = 0;
    // All or nothing. Error config: the text has one fault a line, and the running configuration stays.
    virtual asio::awaitable<Result<ReloadReport>> reload() = 0;
    // A copy of the mirror as it is now, in place of the last one.
    virtual asio::awaitable<Result<SnapshotReport>> snapshot(std::string library) = 0;
    // Chooses the kind of a column anew, from the values that are there.
    virtual asio::awaitable<Result<RetypeReport>> retype(RetypeRequest request) = 0;
    virtual asio::awaitable<Result<HeldReport>> held(HeldRequest request) = 0;
    // Waits for a pass that is under way.
    virtual asio::awaitable<Result<DecideReport>> decide(DecideRequest request) = 0;

    virtual asio::awaitable<Result<ImportReport>> import_set(ImportRequest request) = 0;
    virtual asio::awaitable<Result<LoginPlace>> login_place(std::string library) = 0;
    // Redeems the code of a login.
    virtual asio::awaitable<Result<ImportReport>> redeem_code(CodeRequest request) = 0;
    // Marks the set as moved to another machine, then returns it; the text is a secret.
    virtual asio::awaitable<Result<Secret>> move_out(MoveOutRequest request) = 0;
    virtual asio::awaitable<Result<ImportReport>> move_in(MoveInRequest request) = 0;
    // "This copied or restored store is mine": refreshes are allowed again.
    virtual asio::awaitable<Result<void>> adopt(std::string library) = 0;
    virtual asio::awaitable<Result<void>> forget(std::string library) = 0;
    // The access token as it is; never refreshes.
    virtual asio::awaitable<Result<RevealedToken>> reveal_token(std::string library) = 0;

    // One GET with the library's token, which the caller does not get to see.
    virtual asio::awaitable<Result<GetReport>> get(GetRequest request) = 0;
    virtual asio::awaitable<Result<void>> verify(VerifyRequest request, VerifySink sink) = 0;
    virtual asio::awaitable<Result<void>> probe(ProbeRequest request, ProbeSink sink) = 0;

    virtual AlertReport alerts() const = 0;
    // Calls that hook once, now.
    virtual asio::awaitable<Result<void>> test_hook(HookRequest request) = 0;
    virtual asio::awaitable<Result<SilenceReport>> silence(SilenceRequest request) = 0;
};

}  // namespace shelfd::control
