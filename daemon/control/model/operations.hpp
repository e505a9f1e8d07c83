// The interface of the control socket to the daemon: operations, their requests and their reports.
#pragma once

#include "base/held_rows.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "control/model/actor.hpp"
#include "control/model/alerts.hpp"
#include "control/model/inquiries.hpp"
#include "control/model/sight.hpp"
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
    full,      // a full pass, whatever the schedule
};

enum class Waiting {
    until_done,
    background,  // return once the passes are requested
};

struct SyncRequest {
    std::string library;   // "" = all that are not paused
    std::string resource;  // "" = all of the library
    Extent extent = Extent::ordinary;
    std::string from;  // for a ledger: walk these days or instants again, both included; "" = not given
    std::string to;
    Waiting waiting = Waiting::until_done;
    std::optional<Duration> if_older;  // skip tables whose `as_of` is younger
    bool dry_run = false;              // only report what would be requested
    std::optional<Duration> timeout;   // of waiting, not of the passes; empty = until they have ended
    std::string asked_by = {};         // the user, for the runs; set by the API
};

// A pass reported by a dry run.
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
    // A pass under way, or the end of one. If neither is set, the pass waits for its turn.
    std::optional<Running> running;
    std::optional<RunReport> ended;
    std::optional<PlannedPass> planned;  // for a dry run
    std::optional<Instant> young_as_of;  // the table is younger than `if_older`: no pass is made
    // Until when the pass waits because the service wants no requests.
    std::optional<Instant> paused_until;
};

// Called on the loop any number of times, so it must be cheap; not called after the operation has ended.
using ProgressSink = std::function<void(const ProgressEvent&)>;

enum class Sealing {
    seal,         // rotate at once, so that the pasted copy no longer works
    no_seal,      // use it as it is
    access_only,  // keep no refresh token: works until the access token expires
};

struct ImportRequest {
    std::string library;
    Secret pasted;  // as pasted: JSON or name=value lines
    Sealing sealing = Sealing::seal;
    bool force = false;  // with access_only: even if that destroys a refresh token that may work
    Actor actor = {};
};

struct ImportReport {
    std::string library_id;  // the library of the set, "" = could not be asked
    bool sealed = false;
    std::optional<Instant> expires_at;
    std::vector<std::string> scopes;  // of the set; none = the service does not say
    std::string text;                 // one sentence for people, without secrets
};

// Where a person logs in, and the parameters of that address.
struct LoginPlace {
    std::string authorize_url;  // without its query
    std::string client_id;
    std::string redirect_uri;
    std::vector<std::string> scopes;
    bool identity = false;  // a canary can show to which library a token belongs
};

struct CodeRequest {
    std::string library;
    Secret code;
    Secret verifier;  // for PKCE (RFC 7636)
    std::string redirect_uri;
    Actor actor = {};
};

struct MoveOutRequest {
    std::string library;
    std::string where;  // the machine that receives it, for the status; "" = not given
    Actor actor = {};
};

struct MoveInRequest {
    std::string library;
    Secret document;  // as returned by `move_out`
    Actor actor = {};
};

struct RevealedToken {
    Secret access_token;
    std::optional<Instant> expires_at;
};

struct ReloadRequest {
    bool before = false;   // report also the configuration that was in effect
    bool dry_run = false;  // change nothing
    // The command that has written the configuration, for the log and `_runs`: "library pause", and its library, by its
    // new name after a rename. "" = not given.
    std::string verb;
    std::string library;
    Actor actor = {};
};

struct ReloadReport {
    std::vector<std::string> changes;  // "library ghent added", …; none: nothing changed
    std::vector<std::string> warnings;
    std::string before = {};  // the configuration that was in effect, as TOML, if that was asked for
    // Libraries that are configured and could not be opened.
    struct Absent {
        std::string library;
        std::string why;
    };
    std::vector<Absent> absent = {};
};

// For a library of any name of which something is kept, configured or not.
struct RemovalRequest {
    using any_name = void;
    std::string library;
    bool without_revocation = false;  // do not ask the service to revoke the set
};

// The receipt of a removal.
struct RemovalReport {
    struct Item {
        std::string what;
        std::string path;
        std::uint64_t bytes = 0;
    };
    std::string library;
    std::vector<Item> removed;
    bool revoked = false;
    std::string why_not_revoked;  // one clause
    bool is_configured = false;   // so it is reported as not running until the configuration is without it
};

struct RetypeRequest {
    std::string library;
    std::string resource;
    std::string column;
    Actor actor = {};
};

struct RetypeReport {
    std::string before;  // kinds, as named in `_columns`
    std::string after;
    std::uint64_t rows = 0;  // rewritten; 0 if the kind stays the same
};

// What a named consumer of the change feed has taken over, up to a position.
struct AcknowledgeRequest {
    std::string library;
    std::string consumer;
    std::string position;   // not used to forget the consumer
    std::string asked_by;   // a user, set by the API
    bool by_admin = false;  // may speak for the consumers of others; set by the API
    Actor actor = {};
};

struct HeldRequest {
    std::string library;
    std::string resource;
};

// Rows that are no longer listed and wait for a decision: a limited number of them, and the count of all.
using HeldReport = HeldList;
using Fate = HeldFate;

struct DecideRequest {
    std::string library;
    std::string resource;
    std::vector<std::string> keys;  // none = all that wait
    Fate fate = Fate::keep;
    std::string asked_by = {};  // the user, for the runs; set by the API
};

using DecideReport = HeldOutcome;

struct SnapshotReport {
    std::string path;
    std::uint64_t tables = 0;
    std::uint64_t bytes = 0;
};

// Every function is called on the loop. Error texts are shown to people unchanged; the kind determines the HTTP status:
// usage 400, permission 403, not_found 404, busy and needs_person 409, config 422, throttled 429, stopped 503, storage
// and corrupt 507, the others 502. A coroutine that is cancelled (the client left, its time is over, the daemon stops)
// stops waiting; what the daemon has begun continues.
class Operations {
public:
    virtual ~Operations() = default;

    virtual Status status() const = 0;
    // The libraries with `readers` of their own, configured or absent.
    virtual const std::vector<LibraryReaders>& readers() const = 0;
    // True if the library runs and has that table ("" = any). Cheaper than `status`.
    virtual bool knows(const std::string& library, const std::string& resource) const = 0;
    // Returns when the status may have changed: perhaps too often, but not too late (`wait` looks every second anyway).
    virtual asio::awaitable<void> changed() = 0;
    // Returns when the requested passes have ended. An error if one of them failed, or if there is no such table.
    virtual asio::awaitable<Result<void>> sync(SyncRequest request, ProgressSink sink) = 0;
    // All or nothing. Error config: one fault in each line; the running configuration stays. The command that asks for
    // it is recorded in `_runs` of its library, done or not; the reload in those of the libraries that it opens again.
    virtual asio::awaitable<Result<ReloadReport>> reload(ReloadRequest request) = 0;
    // The warnings and the refusal that a reload would have now, as far as they are known without opening a library.
    // Changes nothing.
    virtual asio::awaitable<Result<ReloadReport>> rehearse_reload() = 0;
    // The configuration in effect as TOML, secrets as references.
    virtual std::string configuration() const = 0;
    // Revokes the token set at the service, if that is configured; then removes set, mirror, snapshots and request log.
    // On an error of the revocation nothing was removed.
    virtual asio::awaitable<Result<RemovalReport>> remove_library(RemovalRequest request) = 0;
    // Replaces the last snapshot with a copy of the present mirror.
    virtual asio::awaitable<Result<SnapshotReport>> snapshot(LibraryRequest request) = 0;
    // Chooses the kind of a column again, from the present values.
    virtual asio::awaitable<Result<RetypeReport>> retype(RetypeRequest request) = 0;
    // Moves a named consumer of the change feed; a new name begins there.
    virtual asio::awaitable<Result<void>> acknowledge(AcknowledgeRequest request) = 0;
    virtual asio::awaitable<Result<void>> forget_consumer(AcknowledgeRequest request) = 0;
    virtual asio::awaitable<Result<HeldReport>> held(HeldRequest request) = 0;
    // Waits for a pass under way.
    virtual asio::awaitable<Result<DecideReport>> decide(DecideRequest request) = 0;

    virtual asio::awaitable<Result<ImportReport>> import_set(ImportRequest request) = 0;
    virtual asio::awaitable<Result<LoginPlace>> login_place(std::string library) = 0;
    // Redeems the code of a login.
    virtual asio::awaitable<Result<ImportReport>> redeem_code(CodeRequest request) = 0;
    // Marks the set as moved to another machine, then returns it as a secret text.
    virtual asio::awaitable<Result<Secret>> move_out(MoveOutRequest request) = 0;
    virtual asio::awaitable<Result<ImportReport>> move_in(MoveInRequest request) = 0;
    // Confirms that a copied or restored store is in use here: refreshes are allowed again.
    virtual asio::awaitable<Result<void>> adopt(LibraryRequest request) = 0;
    virtual asio::awaitable<Result<void>> forget(LibraryRequest request) = 0;
    // Returns the present access token; never refreshes.
    virtual asio::awaitable<Result<RevealedToken>> reveal_token(LibraryRequest request) = 0;

    // Sends one GET with the library's token, which the caller does not see.
    virtual asio::awaitable<Result<GetReport>> get(GetRequest request) = 0;
    virtual asio::awaitable<Result<void>> verify(VerifyRequest request, VerifySink sink) = 0;
    virtual asio::awaitable<Result<void>> probe(ProbeRequest request, ProbeSink sink) = 0;

    virtual AlertReport alerts() const = 0;
    // Calls that hook once, now.
    virtual asio::awaitable<Result<void>> test_hook(HookRequest request) = 0;
    virtual asio::awaitable<Result<SilenceReport>> silence(SilenceRequest request) = 0;
};

}  // namespace shelfd::control
