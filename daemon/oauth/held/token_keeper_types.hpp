// What a token keeper gives and takes.
#pragma once

#include "base/instant.hpp"
#include "base/secret.hpp"
#include "http/client.hpp"
#include "oauth/endpoint/canary.hpp"
#include "oauth/endpoint/haste.hpp"
#include "oauth/endpoint/token_endpoint.hpp"
#include "oauth/set/token_set.hpp"
#include "runtime/async/clock.hpp"
#include "runtime/async/worker_pool.hpp"
#include "runtime/log/log.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace shelfd::oauth {

namespace asio = boost::asio;

struct TokenKeeperSettings {
    std::string library;
    TokenEndpoint endpoint;
    std::function<Result<Secret>()> client_secret;  // blocks; asked in `secret_lane` before each exchange
    CanarySpec canary;
    http::Timeouts canary_timeouts;
    std::string machine_id;  // of /etc/machine-id or the configuration; "" = unknown
    Id boot_id{};
    // The library, "" = none, other than this one that already holds the refresh token with this fingerprint.
    std::function<std::string(const std::string& fingerprint)> other_holder;
};

struct TokenKeeperServices {
    // Whoever limits requests hands out a permit, held until the request has ended. Empty functions permit at once.
    using Permit = std::shared_ptr<void>;

    Clock& clock;
    http::Client& client;
    Lane lane;         // for the journals
    Lane secret_lane;  // of other threads: a command may take its time, an answer that is to be kept may not wait
    Log log;
    std::function<double()> random;  // in [0, 1)
    asio::any_io_executor executor;
    std::function<asio::awaitable<Permit>(Haste)> permit_canary;
    std::function<asio::awaitable<Permit>(Haste)>
        permit_exchange;  // nullptr: not now, it is too crowded for a calm one
    // How a request ended that `permit_canary` had permitted.
    std::function<void(const Permit&, const Result<http::Response>&)> canary_ended = {};
};

struct AccessToken {
    std::shared_ptr<const Secret> token;
    std::uint64_t generation = 0;
};

// What the canary says about the present access token.
struct CanaryVerdict {
    enum class Kind {
        ours,
        wrong_library,
        unauthorized,
        forbidden,      // the token works, and may not ask this
        misconfigured,  // the service has no such page
        unreachable,
    };
    Kind kind = Kind::unreachable;
    std::string library_id;               // as the service says it; "" where nothing says so
    std::uint64_t generation = 0;         // of the token that was asked with
    std::string text;                     // one sentence
    std::optional<Duration> retry_after;  // of unreachable
    std::optional<Instant> service_date;  // the service's own clock at the answer
};

enum class ImportMode {
    seal,         // rotate at once, so that what was pasted is dead
    leave_alone,  // keep as pasted until half of its life
    access_only,  // keep the access token alone: works until it ends, risks nothing
};
// Whether a refresh token that may still be good may be destroyed for an access token that ends.
enum class Destroying { refused, wanted };
struct ImportOutcome {
    std::uint64_t generation = 0;
    bool sealed = false;
    std::string library_id;  // "" = nothing names it
    std::string scope;
    std::optional<Instant> expires;
    std::string text;  // one sentence for the person
};

}  // namespace shelfd::oauth
