#include "oauth/stored/held_sets.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace shelfd::oauth {

std::optional<TokenSet> HeldSets::clone_kept() const
{
    return kept_ ? std::optional<TokenSet>(kept_->clone()) : std::nullopt;
}

void HeldSets::hold(TokenSet set)
{
    if (access_ && present_) {
        old_access_ = present_->access.clone();
    }
    present_ = std::move(set);
    const auto has_access = !present_->access.empty() && !is_moved_out();
    access_ = has_access ? std::make_shared<const Secret>(present_->access.clone()) : nullptr;
    pinned_library_ = present_->library_id;
    wrong_library_.clear();
}

void HeldSets::recover(TokenSet set, std::optional<TokenSet> kept)
{
    kept_ = std::move(kept);
    hold(std::move(set));
}

void HeldSets::replace(TokenSet next, std::optional<TokenSet> kept)
{
    recover(std::move(next), std::move(kept));
    candidate_.reset();
    mirror_generation_ = 0;
    user_.clear();
    identified_at_ = incoming_identified_at_;
}

void HeldSets::clear()
{
    present_.reset();
    kept_.reset();
    candidate_.reset();
    access_.reset();
    identified_at_.reset();
}

void HeldSets::set_candidate_issuer(Issuer issuer)
{
    candidate_->service = std::move(issuer.service);
    candidate_->client_id = std::move(issuer.client_id);
}

bool HeldSets::holds(const std::string& mark) const
{
    const auto has = [&mark](const auto& set) {
        return set && !set->refresh.empty() && fingerprint(set->refresh) == mark;
    };
    const auto is_here = has(present_) && !is_moved_out();
    return !mark.empty() && (mark == incoming_ || is_here || has(kept_) || has(candidate_));
}

std::string HeldSets::issuer_fault(const TokenSet& set) const
{
    if (set.service != issuer_.service) {
        return fmt::format("this set was issued by {}, but the configuration says {}", set.service, issuer_.service);
    }
    if (set.client_id != issuer_.client_id) {
        return fmt::format("this set was issued to the application {}, but the configuration says {}", set.client_id,
                           issuer_.client_id);
    }
    return "";
}

Holding HeldSets::holding_of(const TokenSet& set, const Moments& moments) const
{
    Holding holding;
    holding.generation = set.generation;
    holding.issued = moments.past(set.issued);
    holding.lifetime = set.lifetime;
    holding.has_kept = kept_.has_value();
    holding.to_seal = set.origin == Origin::pasted || set.origin == Origin::untried;
    // Tokens must not be sent to another service, and another application cannot refresh them.
    const auto is_here = set.origin != Origin::moved_out;
    holding.access = !set.access.empty() && set.service == issuer_.service && is_here;
    holding.refresh = !set.refresh.empty() && issuer_fault(set).empty() && is_here;
    return holding;
}

void HeldSets::record_mirror_generation(std::uint64_t generation)
{
    mirror_generation_ = std::max(mirror_generation_, generation);
}

std::uint64_t HeldSets::next_generation() const
{
    return std::max(present_ ? present_->generation : 0, mirror_generation_) + 1;
}

TokenSet HeldSets::new_set() const
{
    TokenSet set;
    set.generation = next_generation();
    set.service = issuer_.service;
    set.client_id = issuer_.client_id;
    return set;
}

bool HeldSets::record_identity(const CanaryReading& reading)
{
    const auto before = wrong_library_;
    const bool is_other_user = !reading.user.empty() && reading.user != user_;
    user_ = is_other_user ? reading.user : user_;
    if (reading.answer == CanaryAnswer::wrong_library) {
        wrong_library_ = reading.text;
    } else if (reading.answer == CanaryAnswer::ours) {
        wrong_library_.clear();
        pinned_library_ = reading.library_id.empty() ? pinned_library_ : reading.library_id;
    }
    return is_other_user || wrong_library_ != before;
}

}  // namespace shelfd::oauth
