// Settings, services and results of a token keeper.
#pragma once

#include "base/instant.hpp"
#include "base/secret.hpp"
#include "base/state/trouble.hpp"
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
    std::function<Result<Secret>()> client_secret;  // blocks; called in `secret_lane` before each exchange
    CanarySpec canary;
    http::Timeouts canary_timeouts;
    std::string machine_id;  // from /etc/machine-id or the configuration; "" = unknown
    Id boot_id{};
    // Returns another library that already has the refresh token with this fingerprint; "" = none.
    std::function<std::string(const std::string& fingerprint)> other_holder;
};

struct TokenKeeperServices {
    // Permits come from the limiter of requests, and are held until the request has ended. Empty functions permit at
    // once.
    using Permit = std::shared_ptr<void>;

    Clock& clock;
    http::Client& client;
    Lane lane;         // for the journals
    Lane secret_lane;  // with its own threads: a command may be slow, and storing an answer must not wait for it
    Log log;
    std::function<double()> random;  // in [0, 1)
    asio::any_io_executor executor;
    std::function<asio::awaitable<Permit>(Haste)> permit_canary;
    std::function<asio::awaitable<Permit>(Haste)>
        permit_exchange;  // nullptr: too many exchanges wait for a calm one to begin
    // Called with the result of each request that `permit_canary` permitted.
    std::function<void(const Permit&, const Result<http::Response>&)> canary_ended = {};
};

struct AccessToken {
    std::shared_ptr<const Secret> token;
    std::uint64_t generation = 0;
};

// What the canary reports about the present access token.
struct CanaryVerdict {
    enum class Kind {
        ours,
        wrong_library,
        unauthorized,
        forbidden,      // the token works, but may not read this page
        misconfigured,  // no such page, a redirect, or no usable identity_field
        unreachable,
    };
    Kind kind = Kind::unreachable;
    std::string library_id;                         // as the service reports it; "" if it does not
    std::uint64_t generation = 0;                   // of the token that was sent
    std::string text;                               // one sentence
    TroubleSource source = TroubleSource::service;  // for unreachable
    std::optional<Duration> retry_after;            // likewise
    std::optional<Instant> service_date;            // the service's time of the answer
};

enum class ImportMode {
    seal,         // rotate at once, so that the pasted set no longer works
    leave_alone,  // keep as pasted until half of its lifetime
    access_only,  // keep only the access token: works until it expires; no refresh token is at risk
};
// Whether a refresh token that may still work may be destroyed to take an access token that expires.
enum class Destroying { refused, wanted };
struct ImportOutcome {
    std::uint64_t generation = 0;
    bool sealed = false;
    std::string library_id;  // "" = unknown
    std::string scope;
    std::optional<Instant> expires;
    std::string text;  // one sentence for the person
};

}  // namespace shelfd::oauth
