// The token sets that are here, and whose they are.
#pragma once

#include "base/boxed.hpp"
#include "oauth/endpoint/canary.hpp"
#include "oauth/held/moments.hpp"
#include "oauth/held/token_keeper_types.hpp"
#include "oauth/machine/refresh_machine.hpp"

namespace shelfd::oauth {

// In memory only: what changes here was written to the journals before. Up to four refresh tokens are here at a time:
// of the present set, of the older one that is kept until the present one is proven, of the candidate that a login
// gave, and of a set that is being taken in.
class HeldSets {
public:
    // The issuer of usable sets, as configured.
    struct Issuer {
        std::string service;
        std::string client_id;
    };
    explicit HeldSets(Issuer issuer) : issuer_(std::move(issuer)) {}

    // nullopt: no set was ever given, or nothing is known of one. A set that was forgotten has the origin none.
    const std::optional<TokenSet>& present() const { return present_; }
    const Boxed<TokenSet>& kept() const { return kept_; }
    std::optional<TokenSet> clone_kept() const;
    // The access token of the present set, shared with requests under way; nullptr = none that may be used.
    const std::shared_ptr<const Secret>& access() const { return access_; }
    AccessToken access_token() const { return {access_, present_ ? present_->generation : 0}; }
    // The access token before the present one.
    const Secret& old_access() const { return old_access_; }
    bool has_set() const { return present_ && present_->origin != Origin::none; }
    bool is_moved_out() const { return present_ && present_->origin == Origin::moved_out; }
    bool is_unproven() const { return present_ && present_->origin == Origin::unproven; }

    // The next generation of the same set.
    void hold(TokenSet set);
    // Another set takes the place of the present one and of the candidate.
    void replace(TokenSet next, std::optional<TokenSet> kept);
    // What the journals hold after a start.
    void recover(TokenSet set, std::optional<TokenSet> kept);
    void clear();
    void drop_kept() { kept_.reset(); }
    void drop_old_access() { old_access_ = Secret(); }
    // In memory: the next start asks again whose it is.
    void accept_unproven() { present_->origin = Origin::rotated; }

    // What a login gave, until the canary says whose it is.
    const Boxed<TokenSet>& candidate() const { return candidate_; }
    void set_candidate(TokenSet set) { candidate_ = std::move(set); }
    void drop_candidate() { candidate_.reset(); }
    // Who was asked, where that is another one than is configured now.
    void set_candidate_issuer(Issuer issuer);
    // Why the candidate must not be shown to the service that is configured now; "" = it may.
    std::string candidate_fault() const { return candidate_ ? issuer_fault(*candidate_) : ""; }

    // While it lives, the refresh token with that fingerprint is on its way in: the same paste may be on its way into
    // another library at this moment.
    class Incoming {
    public:
        Incoming(HeldSets& sets, std::string mark) : sets_(sets) { sets_.incoming_ = std::move(mark); }
        ~Incoming() { sets_.incoming_.clear(); }
        Incoming(const Incoming&) = delete;
        Incoming& operator=(const Incoming&) = delete;

    private:
        HeldSets& sets_;
    };
    // The refresh token with that fingerprint is here, in whatever part.
    bool holds(const std::string& mark) const;

    // Why the set cannot be used with what is configured; "" = it can.
    std::string issuer_fault(const TokenSet& set) const;
    // The set as far as decisions need it.
    Holding holding_of(const TokenSet& set, const Moments& moments) const;

    // The newest generation that the mirror has seen.
    std::uint64_t mirror_generation() const { return mirror_generation_; }
    void record_mirror_generation(std::uint64_t generation);
    bool is_behind_mirror() const { return present_ && mirror_generation_ > present_->generation; }
    std::uint64_t next_generation() const;
    // A set of the configured issuer that is to become the next generation; empty still.
    TokenSet new_set() const;

    // What the service said of the present set. True: `wrong_library` is another one than before.
    bool record_identity(const CanaryReading& reading);
    const std::string& pinned_library() const { return pinned_library_; }  // "" = not known
    const std::string& wrong_library() const { return wrong_library_; }    // a sentence; "" = it named no other one

private:
    Issuer issuer_;
    std::optional<TokenSet> present_;
    Boxed<TokenSet> kept_;
    Boxed<TokenSet> candidate_;
    std::shared_ptr<const Secret> access_;
    Secret old_access_;
    std::string incoming_;  // fingerprint
    std::uint64_t mirror_generation_ = 0;
    std::string pinned_library_;
    std::string wrong_library_;
};

}  // namespace shelfd::oauth
