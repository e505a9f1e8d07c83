// What the keeper knows about itself; the sentences for it are made in token_keeper_sentences.cpp.
#include "oauth/keeper/token_keeper.hpp"

namespace shelfd::oauth {
namespace {

// Longer than a service is usually away, once nothing works any more.
constexpr Duration unreachable_patience = std::chrono::hours(1);

}  // namespace

TokenState TokenKeeper::state() const
{
    const auto has_set = set_ && set_->origin != Origin::none;
    if (!barred_.empty() || (!has_set && !damaged_.empty())) {
        return TokenState::unreadable;
    }
    if (!has_set) {
        return TokenState::none;
    }
    if (!environment_fault_.empty()) {
        return TokenState::other_service;
    }
    if (machine_.failed_commits() > 0) {
        return TokenState::unstored;
    }
    if (is_moved_out()) {
        return TokenState::moved;
    }
    if (machine_.is_copied()) {
        return TokenState::copied;
    }
    switch (machine_.standing()) {
    case Standing::lost: return TokenState::lost;
    case Standing::foreign: return TokenState::foreign;
    case Standing::configuration: return TokenState::configuration;
    case Standing::in_doubt:
        if (wrong_library_.empty()) {
            return is_blocked() ? TokenState::blocked : TokenState::in_doubt;
        }
        break;
    case Standing::good: break;
    }
    if (!wrong_library_.empty()) {
        return TokenState::wrong_library;
    }
    if (is_blocked()) {
        return TokenState::blocked;
    }
    if (set_->refresh.empty()) {
        const auto usable = machine_.access_is_usable(services_.clock.boot_now());
        return usable ? TokenState::ends : TokenState::ended;
    }
    if (machine_.is_exchanging()) {
        return TokenState::refreshing;
    }
    return machine_.access_is_usable(services_.clock.boot_now()) ? TokenState::good : TokenState::waiting;
}

// A person has to mend this: waiting alone does not.
bool TokenKeeper::is_blocked() const
{
    if (machine_.is_exchanging()) {
        return false;
    }
    const auto boot_now = services_.clock.boot_now();
    switch (machine_.why()) {
    case Why::secret: return true;
    case Why::storage: return copies_ == 0 || !unread_.empty();
    case Why::unreachable:
        return (!canary_fault_.empty() || !machine_.access_is_usable(boot_now)) && unreachable_since_ &&
               boot_now - *unreachable_since_ >= unreachable_patience;
    default: return false;
    }
}

// Told at each change, not at each try.
void TokenKeeper::record_blockage()
{
    const auto is_unreachable = machine_.why() == Why::unreachable;
    const auto was_unreachable = unreachable_since_.has_value();
    unreachable_since_ = !is_unreachable   ? std::nullopt
                         : was_unreachable ? unreachable_since_
                                           : std::optional(services_.clock.boot_now());
    const auto is_blocked_now = state() == TokenState::blocked;
    const auto was_blocked = blocked_since_.has_value();
    if (is_blocked_now && !was_blocked) {
        const auto known = status();
        blocked_since_ = known.since;
        services_.log.error("the token set cannot be refreshed",
                            {{"library", settings_.library}, {"reason", known.reason}, {"do", known.do_this}});
    } else if (was_blocked && !is_blocked_now && !needs_person(state())) {
        services_.log.info("nothing keeps the token set from being refreshed any more",
                           {{"library", settings_.library}});
    } else if (is_unreachable && !was_unreachable) {
        services_.log.warning("a refresh is due and waits: the service cannot be asked about the token",
                              {{"library", settings_.library}, {"reason", trouble_}});
    }
    blocked_since_ = is_blocked_now ? blocked_since_ : std::nullopt;
}

TokenStatus TokenKeeper::status() const
{
    const auto boot_now = services_.clock.boot_now();
    TokenStatus status;
    status.state = state();
    status.since = status.state != TokenState::blocked ? standing_since_
                   : blocked_since_                    ? *blocked_since_
                   : unreachable_since_ && *unreachable_since_ + unreachable_patience <= boot_now
                       ? moment_of(*unreachable_since_ + unreachable_patience).wall
                       : services_.clock.now();
    status.needs_person = needs_person(status.state) || machine_.needs_look(boot_now);
    status.access_usable = access_ && machine_.access_is_usable(boot_now);
    status.journal_copies = copies_;
    status.storage_trouble = storage_trouble_;
    status.clock_trouble = clock_trouble_;
    status.exchanges = exchanges_;
    status.last_byte_to_durable = last_landing_;
    status.library_id = canary_spec().library_id;
    status.library_verified = !settings_.canary.identity_field.empty() && !pinned_library_.empty() && set_ &&
                              set_->origin != Origin::untried && !is_unproven();
    status.learned = machine_.learned();
    if (set_ && set_->origin != Origin::none) {
        status.generation = set_->generation;
        status.scope = set_->scope;
        status.from_login = set_->from_login;
        status.lifetime = set_->lifetime;
        status.last_refresh = set_->issued.wall;
        status.expires = moment_of(machine_.expires()).wall;
        status.fingerprint = set_->refresh.empty() || is_moved_out() ? "" : fingerprint(set_->refresh);
    }
    if (const auto wake = machine_.rest_now().until) {
        status.next_refresh = moment_of(std::max(*wake, boot_now)).wall;
    }
    const auto ends = status.needs_person || status.state == TokenState::ends;
    if (ends && status.access_usable) {
        status.deadline = status.expires;
    }
    describe(status);
    warn_of_one_copy(status);
    describe_candidate(status);
    return status;
}

Result<AccessToken> TokenKeeper::reveal() const
{
    if (!access_ || !machine_.access_is_usable(services_.clock.boot_now())) {
        return why_not();
    }
    return present();
}

}  // namespace shelfd::oauth
