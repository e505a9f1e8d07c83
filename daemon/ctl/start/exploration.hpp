// A daemon that looks at a service before there is a configuration: with a paused library, and a mirror that is thrown
// away.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "base/state/token_state.hpp"
#include "ctl/line/environment.hpp"
#include "ctl/start/child_daemon.hpp"

#include <memory>
#include <optional>
#include <string>

namespace shelfd::ctl {

struct ExplorationOptions {
    std::string directory;  // private: configuration, log, socket and mirror; the caller removes it
    std::string socket;     // "" = in `directory`
    std::string tokens;     // directory
    bool allow_unsafe = false;
    std::string base_url;
    std::string library;
    std::string application;          // lines of TOML: client_id, client_secret, scopes
    std::string canary_path;          // a list, or the page of `identity`, that shows whether a token works
    bool is_identity = false;         // the page names the library of a token in its member id
    std::optional<ProcessUser> user;  // of the daemon; empty = this one
};

// What the daemon knows of a token set.
struct SetStanding {
    TokenState state = TokenState::none;
    bool needs_person = false;
    std::string reason;   // why it is not as it should be
    std::string do_this;  // what a person has to do
};

// Whether a token store of that configuration has a set of the library; of no running daemon. Errors: those of `shelfd
// --check-state`.
Result<bool> has_token_set(const std::string& config_file, const std::string& library, const Environment& environment);

// An error of that daemon with --path instead of the list in its configuration, which nobody has seen.
Error in_typed_words(const Error& error);

class Exploration {
public:
    explicit Exploration(ExplorationOptions options) : options_(std::move(options)) {}

    // Errors: as starting the daemon.
    Result<void> start(const Environment& environment);
    // Another page that shows whether a token works.
    Result<void> use_canary(const std::string& path);
    // From now on no list counts as configured, so that probe suggests a block for each.
    Result<void> forget_canary();
    void stop() { child_.reset(); }
    // Whether the token store has a set of the library; after `stop`. Errors: those of has_token_set.
    Result<bool> has_set(const Environment& environment) const
    {
        return has_token_set(config_file(), options_.library, environment);
    }
    // The set that the daemon that runs has of the library; empty if it does not answer.
    std::optional<SetStanding> set_standing() const;

    std::string config_file() const { return options_.directory + "/exploring.toml"; }
    std::string log_file() const { return options_.directory + "/exploring.log"; }
    std::string socket() const
    {
        return options_.socket.empty() ? options_.directory + "/control.sock" : options_.socket;
    }
    // A request that answers with a report or an error.
    Result<void> post(const std::string& path, Secret body);

private:
    Result<void> write();

    ExplorationOptions options_;
    std::unique_ptr<ChildDaemon> child_;
};

}  // namespace shelfd::ctl
