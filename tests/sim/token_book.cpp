#include "sim/token_book.hpp"

#include <algorithm>
#include <sstream>

namespace shelfd::sim {

bool scope_covers(std::string_view granted, std::string_view wanted)
{
    const auto words = [](std::string_view text) {
        std::istringstream in{std::string(text)};
        std::vector<std::string> result;
        for (std::string word; in >> word;) {
            result.push_back(word);
        }
        return result;
    };
    const auto has = words(granted);
    const auto wants = words(wanted);
    return std::all_of(wants.begin(), wants.end(),
                       [&](const std::string& word) { return std::find(has.begin(), has.end(), word) != has.end(); });
}

std::string TokenBook::new_secret(std::size_t length)
{
    return secrets_.emplace_back(random_.word(length));
}

TokenPair TokenBook::issue(std::size_t library, std::string scope, Instant now)
{
    const Place place{sets_.size(), 0};
    TokenSet set{.library = library, .acts_on = library, .denied = {}, .generations = {}};
    set.generations.push_back({.access = new_secret(),
                               .refresh = new_secret(),
                               .scope = std::move(scope),
                               .expires = now + policy.expires_in,
                               .spent_at = {}});
    const auto& first = sets_.emplace_back(std::move(set)).newest();
    access_[first.access] = place;
    refresh_[first.refresh] = place;
    return {first.access, first.refresh, first.scope, policy.expires_in};
}

std::variant<TokenPair, RefreshRefusal> TokenBook::refresh(std::size_t library, const std::string& token,
                                                           const std::optional<std::string>& scope, Instant now)
{
    const auto found = refresh_.find(token);
    if (found == refresh_.end() || sets_[found->second.set].library != library) {
        return RefreshRefusal::invalid_grant;
    }
    const Place place = found->second;
    const auto& generation = at(place);
    switch (generation.refresh_state) {
    case RefreshState::revoked: return RefreshRefusal::invalid_grant;
    case RefreshState::spent: return reuse(place, now);
    case RefreshState::live: break;
    }
    if (scope && !scope_covers(generation.scope, *scope)) {
        return RefreshRefusal::invalid_scope;
    }
    if (!generation.access_row) {
        return RefreshRefusal::server_error;
    }
    return rotate(place, scope.value_or(generation.scope), now);
}

TokenPair TokenBook::rotate(const Place& place, std::string scope, Instant now)
{
    auto& set = sets_[place.set];
    auto& old = at(place);
    old.access_row = false;
    TokenSet::Generation fresh{.access = new_secret(),
                               .refresh = policy.rotation ? new_secret() : old.refresh,
                               .scope = std::move(scope),
                               .expires = now + policy.expires_in,
                               .spent_at = {}};
    old.refresh_state = policy.rotation ? RefreshState::spent : RefreshState::revoked;
    old.spent_at = now;
    const auto& added = set.generations.emplace_back(std::move(fresh));
    const Place next{place.set, set.generations.size() - 1};
    access_[added.access] = next;
    refresh_[added.refresh] = next;
    return {added.access, policy.rotation ? std::optional(added.refresh) : std::nullopt, added.scope,
            policy.expires_in};
}

std::variant<TokenPair, RefreshRefusal> TokenBook::reuse(const Place& place, Instant now)
{
    const auto& set = sets_[place.set];
    const auto& successor = set.generations[place.generation + 1];
    if (policy.grace.count() > 0 && now - at(place).spent_at <= policy.grace && successor.access_row) {
        return TokenPair{successor.access, successor.refresh, successor.scope, policy.expires_in};
    }
    ++reuses_of_spent_;
    if (policy.family_revocation) {
        revoke_set(sets_[place.set]);
    }
    return RefreshRefusal::invalid_grant;
}

Bearer TokenBook::look_up(const std::string& access, Instant now) const
{
    const auto found = access_.find(access);
    if (found == access_.end()) {
        return {};
    }
    const auto& set = sets_[found->second.set];
    const auto& generation = set.generations[found->second.generation];
    Bearer bearer{.set = &set,
                  .generation = found->second.generation + 1,
                  .scope = generation.scope,
                  .expires = generation.expires};
    if (generation.access_row) {
        bearer.state = now < generation.expires ? AccessState::live : AccessState::expired;
    }
    return bearer;
}

void TokenBook::revoke_token(std::size_t library, const std::string& token)
{
    const auto access = access_.find(token);
    const auto refresh = refresh_.find(token);
    const bool is_access = access != access_.end();
    if ((!is_access && refresh == refresh_.end()) ||
        sets_[(is_access ? access : refresh)->second.set].library != library) {
        return;
    }
    auto& generation = at((is_access ? access : refresh)->second);
    if (is_access) {
        generation.access_row = false;
    } else if (generation.refresh_state == RefreshState::live) {
        generation.refresh_state = RefreshState::revoked;
        generation.access_row = false;
    }
}

void TokenBook::revoke_set(TokenSet& set)
{
    for (auto& generation : set.generations) {
        generation.access_row = false;
        generation.refresh_state = RefreshState::revoked;
    }
}

TokenSet* TokenBook::find_set(std::size_t library, std::size_t number)
{
    for (auto& set : sets_) {
        if (set.library == library && number-- == 0) {
            return &set;
        }
    }
    return nullptr;
}

std::size_t TokenBook::count_of_sets(std::size_t library) const
{
    return static_cast<std::size_t>(
        std::count_if(sets_.begin(), sets_.end(), [&](const TokenSet& set) { return set.library == library; }));
}

}  // namespace shelfd::sim
