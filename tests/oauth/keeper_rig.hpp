// A token keeper on a simulated clock, a disk in memory, and a service that rotates as the real one does.
#pragma once

#include "oauth/endpoint/exchange_gate.hpp"
#include "oauth/keeper/token_keeper.hpp"
#include "runtime/async/async_event.hpp"
#include "runtime/async/task_group.hpp"
#include "support/scripted_client.hpp"
#include "support/scripted_disk.hpp"
#include "support/simulated_clock.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::oauth {

// The service's side: one library's tokens. Single-use rotation that kills the old access token, as
// django-oauth-toolkit.
class TokenService {
public:
    explicit TokenService(SimulatedClock& clock) : clock_(clock), began_(clock.now() - (clock.boot_now() - BootTime()))
    {
        issue();
    }

    // A new set, independent of what was issued before.
    void issue();
    std::string response() const { return response_to(current_); }
    std::string access() const { return current_.access; }
    std::string refresh() const { return current_.refresh; }
    // The access token's time is over; it can be refreshed.
    void expire_access() { current_.expires = clock_.boot_now(); }
    // The access token is taken back before its time; it can be refreshed.
    void revoke_access()
    {
        expire_access();
        is_revoked_ = true;
    }
    // An authorization code that gives a set of its own, once, to that verifier; the set before goes on working.
    std::string new_code(const std::string& verifier);
    // Somebody else uses the refresh token.
    void rotate_elsewhere() { rotate(); }

    http::Answer answer(const http::SeenRequest& request);
    // The next answers to the token endpoint, one each; they say whether the service acts all the same. A cut answer
    // holds that much of the real one; an answer that is nothing but a wait or a size of pieces changes the real one.
    struct Fault {
        bool acts = false;
        http::Answer answer;
    };
    std::vector<Fault> faults;
    std::optional<http::Answer> canary_fault;

    Duration grace{0};
    bool revokes_family = false;
    bool kills_old_access = true;
    bool rotates = true;
    bool repeats_refresh = false;  // where it does not rotate: the answer holds the same refresh token once more
    bool canary_is_open = false;   // any token is accepted
    std::string private_path;      // not there, even if the canary is open
    std::int64_t lifetime = 604'800;
    std::string library_id = "42";
    std::map<std::string, std::string> library_of;  // access token → library, where it is another one
    bool wrong_client = false;
    std::optional<std::string> introspection;  // the answer about any token; nothing = 404

    std::size_t posts = 0;  // to the token endpoint
    std::size_t rotations = 0;
    std::size_t reuses = 0;            // of a token that was spent
    std::vector<std::string> secrets;  // every token ever issued

private:
    struct Set {
        std::string access, refresh;
        BootTime expires;
    };
    void rotate();
    std::string response_to(const Set& set) const;
    http::Answer exchange(const std::string& body);
    http::Answer canary(const std::string& bearer, bool is_open) const;

    std::string http_date() const;

    SimulatedClock& clock_;
    Instant began_;
    Set current_;
    http::Answer redeem(const std::string& form);
    std::map<std::string, BootTime> spent_;     // refresh token → when
    std::map<std::string, std::string> codes_;  // code → verifier
    std::string last_spent_;
    std::vector<std::string> old_access_;  // still good where rotation does not kill it
    bool dead_ = false;
    bool is_revoked_ = false;
    int issued_ = 0;
};

// Everything around one keeper. `start` opens it and runs it; `kill` drops it as a crash would, `stop` as an orderly
// end.
class KeeperRig {
public:
    KeeperRig();
    ~KeeperRig();

    TokenKeeper& start();
    Result<void> try_start();
    void stop();
    // The process dies now: nothing that it still does reaches the disk or the network. `kill` also buries it, which
    // may take the simulated time of a request under way; `die` may be called from within, and a `kill` must follow.
    void die();
    void kill();
    // A set that is in force and was not rotated.
    void give_set();

    // What `start` gives to the keeper.
    TokenKeeper::Services services();
    Store store();

    TokenKeeper& keeper() { return *keeper_; }
    bool is_running() const { return keeper_ != nullptr; }
    bool is_dead() const { return is_dead_; }

    template <typename T>
    T run(asio::awaitable<T> work)
    {
        return clock.run(std::move(work));
    }
    Result<AccessToken> access() { return run(keeper_->access()); }
    std::string access_text();
    Result<ImportOutcome> import(const std::string& paste, ImportMode mode,
                                 Destroying destroying = Destroying::refused);
    bool log_has(const std::string& text) const;

    asio::io_context loop;
    SimulatedClock clock{loop};
    // journal.a, journal.b, and the refuge, which is there once something was written into it.
    storage::ScriptedDisk disk{3, journal_size};
    TokenService service{clock};
    http::ScriptedClient client{clock};
    TokenKeeper::Settings settings;
    bool has_refuge = false;
    std::string places = "journal.a and journal.b";
    std::uint64_t mirror_generation = 0;  // the newest one that the mirror has seen
    std::optional<Store> real_store;      // used instead of the disk, once
    std::vector<std::string> log_lines;
    ExchangeGate gate{clock};  // as all keepers of one origin share it

private:
    bool is_dead_ = false;
    std::unique_ptr<TaskGroup> group_;
    std::unique_ptr<TokenKeeper> keeper_;
};

}  // namespace shelfd::oauth
