// What a token keeper gives and takes.
#pragma once

#include "base/instant.hpp"
#include "base/secret.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace shelfd::oauth {

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
