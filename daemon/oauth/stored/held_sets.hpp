// The token sets that this process holds, and the library to which they belong.
#pragma once

#include "base/boxed.hpp"
#include "oauth/endpoint/canary.hpp"
#include "oauth/machine/refresh_machine.hpp"
#include "oauth/stored/moments.hpp"
#include "oauth/stored/token_keeper_types.hpp"

namespace shelfd::oauth {

// In memory only: changes were written to the journals before. Up to four refresh tokens are here at a time: of the
// present set, of the older set kept until the present one is proven, of the candidate from a login, and of a set that
// is being accepted.
class HeldSets {
public:
    // The configured issuer; sets of another one cannot be used.
    struct Issuer {
        std::string service;
        std::string client_id;
    };
    explicit HeldSets(Issuer issuer) : issuer_(std::move(issuer)) {}

    // nullopt: no set was ever provided, or it is unknown. A forgotten set has Origin::none.
    const std::optional<TokenSet>& present() const { return present_; }
    const Boxed<TokenSet>& kept() const { return kept_; }
    std::optional<TokenSet> clone_kept() const;
    // Access token of the present set, shared with requests in progress; nullptr if it has none or was moved out.
    const std::shared_ptr<const Secret>& access() const { return access_; }
    AccessToken access_token() const { return {access_, present_ ? present_->generation : 0}; }
    // Access token of the set before the present one.
    const Secret& old_access() const { return old_access_; }
    bool has_set() const { return present_ && present_->origin != Origin::none; }
    bool is_moved_out() const { return present_ && present_->origin == Origin::moved_out; }
    bool is_unproven() const { return present_ && present_->origin == Origin::unproven; }

    // Replaces the present set by its next generation.
    void hold(TokenSet set);
    // Replaces the present set by another set, and drops the candidate.
    void replace(TokenSet next, std::optional<TokenSet> kept);
    // Sets the present and the kept set from the journals, at a start.
    void recover(TokenSet set, std::optional<TokenSet> kept);
    void clear();
    void drop_kept() { kept_.reset(); }
    // In addition to the set that replaces it next.
    void keep_present() { kept_ = present_->clone(); }
    void drop_old_access() { old_access_ = Secret(); }
    // In memory only: the next start identifies the library again.
    void accept_unproven() { present_->origin = Origin::rotated; }

    // The set from a login, until the canary identifies its library.
    const Boxed<TokenSet>& candidate() const { return candidate_; }
    void set_candidate(TokenSet set) { candidate_ = std::move(set); }
    void drop_candidate() { candidate_.reset(); }
    // Sets the service and application that issued the candidate, if they differ from the configured ones.
    void set_candidate_issuer(Issuer issuer);
    // Why the candidate must not be sent to the configured service; "" = it may.
    std::string candidate_fault() const { return candidate_ ? issuer_fault(*candidate_) : ""; }

    // While it lives, the refresh token with this fingerprint is being accepted; `holds` reports it, because the same
    // pasted text may be on its way into another library.
    class Incoming {
    public:
        Incoming(HeldSets& sets, std::string mark) : sets_(sets) { sets_.incoming_ = std::move(mark); }
        ~Incoming()
        {
            sets_.incoming_.clear();
            sets_.incoming_identified_at_.reset();
        }
        // The service said that this set is of our library, in answer to a request sent at `asked_at`.
        void identified(BootTime asked_at) { sets_.incoming_identified_at_ = asked_at; }
        Incoming(const Incoming&) = delete;
        Incoming& operator=(const Incoming&) = delete;

    private:
        HeldSets& sets_;
    };
    // True if this is the fingerprint of a refresh token here: present (unless moved out), kept, candidate or incoming.
    bool holds(const std::string& mark) const;

    // Why the set cannot be used with the configuration; "" = it can.
    std::string issuer_fault(const TokenSet& set) const;
    // The properties of the set that decisions need.
    Holding holding_of(const TokenSet& set, const Moments& moments) const;

    // The newest generation recorded in the mirror.
    std::uint64_t mirror_generation() const { return mirror_generation_; }
    void record_mirror_generation(std::uint64_t generation);
    bool is_behind_mirror() const { return present_ && mirror_generation_ > present_->generation; }
    std::uint64_t next_generation() const;
    // An empty set of the configured issuer with the next generation.
    TokenSet new_set() const;

    // Records what the service reported about the present set. Returns true if `wrong_library` or `user` changed.
    bool record_identity(const CanaryReading& reading);
    const std::string& pinned_library() const { return pinned_library_; }  // "" = unknown
    const std::string& wrong_library() const { return wrong_library_; }    // one sentence; "" = none
    // When the service was asked for the library of the present set before it was accepted; nullopt = it was not.
    std::optional<BootTime> identified_at() const { return identified_at_; }
    // Whose token set the present one is, as the service said in this process; "" = not yet.
    const std::string& user() const { return user_; }
    void record_user(std::string user) { user_ = std::move(user); }

private:
    Issuer issuer_;
    std::optional<TokenSet> present_;
    Boxed<TokenSet> kept_;
    Boxed<TokenSet> candidate_;
    std::shared_ptr<const Secret> access_;
    Secret old_access_;
    std::string incoming_;  // fingerprint
    std::optional<BootTime> incoming_identified_at_;
    std::optional<BootTime> identified_at_;
    std::uint64_t mirror_generation_ = 0;
    std::string pinned_library_;
    std::string wrong_library_;
    std::string user_;
};

}  // namespace shelfd::oauth
