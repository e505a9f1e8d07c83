// Every token the service ever issued and what became of it: the rules of django-oauth-toolkit 1.7.
#pragma once

#include "base/instant.hpp"
#include "sim/random.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace shelfd::sim {

// Settings of the service that differ in the field.
struct TokenPolicy {
    std::chrono::seconds expires_in{604'800};
    // How long a spent refresh token still answers with the set it made.
    std::chrono::seconds grace{0};
    // Whether reuse of a spent refresh token (after the grace) revokes every set of its chain.
    bool family_revocation = false;
    // Without rotation an answer carries no refresh_token, and the old one stays good.
    bool rotation = true;
};

// One answer of the token endpoint. No `refresh` means that none is sent.
struct TokenPair {
    std::string access;
    std::optional<std::string> refresh;
    std::string scope;
    std::chrono::seconds expires_in;
};

enum class RefreshRefusal {
    invalid_grant,
    invalid_scope,
    server_error,  // the access token's row was deleted alone; the application falls over, every time
};

enum class AccessState { live, expired, invalid };
enum class RefreshState { live, spent, revoked };

// One chain of rotations: what a person issued once, and all that came of it.
struct TokenSet {
    struct Generation {
        std::string access;
        std::string refresh;
        std::string scope;
        Instant expires;
        bool access_row = true;  // whether the service still has a row for the access token
        RefreshState refresh_state = RefreshState::live;
        Instant spent_at;
    };

    std::size_t library;  // whose application owns it
    std::size_t acts_on;  // whose data it shows: differs once the user of a personal token switches libraries
    bool active = true;   // false: its user was deactivated
    std::vector<std::string> denied;  // paths its user has no permission for, without a slash at either end
    std::vector<Generation> generations;

    std::size_t generation() const { return generations.size(); }
    const Generation& newest() const { return generations.back(); }
};

// What a bearer token turned out to be. `set` is absent when the service never issued it.
struct Bearer {
    AccessState state = AccessState::invalid;
    const TokenSet* set = nullptr;
    std::size_t generation = 0;  // 1 for the set as issued
    std::string scope;
    Instant expires;
};

// Pure rules: time is an argument, tokens come from the seed. Not thread-safe.
class TokenBook {
public:
    explicit TokenBook(std::uint64_t seed) : random_(seed) {}

    TokenPolicy policy;

    TokenPair issue(std::size_t library, std::string scope, Instant now);
    std::variant<TokenPair, RefreshRefusal> refresh(std::size_t library, const std::string& token,
                                                    const std::optional<std::string>& scope, Instant now);
    Bearer look_up(const std::string& access, Instant now) const;

    // RFC 7009: an access token loses its row alone, a refresh token takes its access token along. One of another
    // library's application is left alone.
    void revoke_token(std::size_t library, const std::string& token);
    void revoke_set(TokenSet& set);

    // The n-th set of a library, as issued; nothing beyond the last.
    TokenSet* find_set(std::size_t library, std::size_t number);
    std::size_t count_of_sets(std::size_t library) const;

    // 30 letters and digits, remembered as a secret: tokens, codes.
    std::string new_secret(std::size_t length = 30);
    // In order of issue, client secrets included.
    const std::vector<std::string>& secrets() const { return secrets_; }
    std::uint64_t reuses_of_spent() const { return reuses_of_spent_; }
    void reset_counts() { reuses_of_spent_ = 0; }

private:
    struct Place {
        std::size_t set;
        std::size_t generation;  // index into TokenSet::generations
    };

    TokenSet::Generation& at(const Place& place) { return sets_[place.set].generations[place.generation]; }
    TokenPair rotate(const Place& place, std::string scope, Instant now);
    std::variant<TokenPair, RefreshRefusal> reuse(const Place& place, Instant now);

    Random random_;
    std::vector<TokenSet> sets_;
    std::unordered_map<std::string, Place> access_;
    std::unordered_map<std::string, Place> refresh_;
    std::vector<std::string> secrets_;
    std::uint64_t reuses_of_spent_ = 0;
};

// "accounts library" → its words. Every scope that `wanted` names must be among those of `granted`.
bool scope_covers(std::string_view granted, std::string_view wanted);

}  // namespace shelfd::sim
