// Sentences: what the keeper tells people about itself.
#include "oauth/token_keeper.hpp"

#include <fmt/format.h>

namespace shelfd::oauth {
namespace {

std::string sentence(Why why, const std::string& trouble)
{
    const auto because = trouble.empty() ? "" : ": " + trouble;
    switch (why) {
    case Why::nothing: return "";
    case Why::unreachable: return "the service cannot be asked about the token" + because;
    case Why::throttled: return "the service asks to wait before a refresh";
    case Why::secret: return "the client secret cannot be read" + because;
    case Why::storage: return "the token journals cannot be written, so nothing is sent" + because;
    case Why::not_sent: return "the refresh could not be sent; nothing was spent" + because;
    case Why::hurried: return "the service refuses a token that it has just given";
    case Why::too_many: return "the day's number of refreshes is used up";
    case Why::doubt: return "a refresh was sent and its outcome is not known yet";
    case Why::configuration: return "the service refuses this application";
    case Why::person: return "the token set needs a person";
    case Why::copied: return "the token store looks copied or restored";
    case Why::canary_unfit: return "the canary accepts any token, so a refusal elsewhere cannot be confirmed";
    }
    std::abort();
}

ErrorKind kind_of(Why why)
{
    switch (why) {
    case Why::throttled: return ErrorKind::throttled;
    case Why::secret: return ErrorKind::config;
    case Why::storage: return ErrorKind::storage;
    case Why::configuration:
    case Why::person:
    case Why::copied: return ErrorKind::needs_person;
    default: return ErrorKind::network;
    }
}

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
    return machine_.is_exchanging() ? TokenState::refreshing : TokenState::good;
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
void TokenKeeper::note_blockage()
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

// A set of a login waits: no advice that would destroy it.
void TokenKeeper::describe_candidate(TokenStatus& status) const
{
    if (!candidate_) {
        return;
    }
    if (const auto fault = candidate_fault(); !fault.empty()) {
        status.needs_person = true;
        status.reason = "the last login gave a set that waits: " + fault;
        status.do_this = "correct the configuration, or log in again, which drops that set: shelfctl auth login " +
                         settings_.library;
        status.next = "keeps it until then, and refreshes nothing";
        return;
    }
    status.needs_person = !status.access_usable;
    status.reason = "the last login gave a set that waits until the service says whose it is (" + trouble_ + ")";
    status.do_this = status.access_usable ? ""
                                          : "look at the way to the service, at base_url and at identity; then, "
                                            "to try at once: shelfctl reload";
    status.next = "asks again, keeps that set until then, and refreshes nothing";
}

void TokenKeeper::describe(TokenStatus& status) const
{
    const auto import = "ask the owner for a new token set, then: shelfctl auth import " + settings_.library;
    const auto said = reason_.empty() ? "" : " (" + reason_ + ")";
    const auto say = [&status](std::string reason, std::string do_this, std::string next = "") {
        status.reason = std::move(reason);
        status.do_this = std::move(do_this);
        status.next = std::move(next);
    };
    switch (status.state) {
    case TokenState::unreadable:
        if (is_closed_) {
            return say(barred_, "mend what it names; then, to try at once: shelfctl reload",
                       "tries again every few minutes, and touches nothing until then");
        }
        return barred_.empty() ? say(damaged_, "put them back and restart shelfd, or else " + import)
                               : say(barred_, "stop the daemon and put the right journals in place");
    case TokenState::none: return say("no token set was given yet", import);
    case TokenState::other_service: return say(environment_fault_, "correct the configuration, or else " + import);
    case TokenState::unstored:
        return say("a new token set is in memory only: no disk takes it: " + trouble_,
                   "make room on the disk of storage.tokens; do not stop the daemon", "tries again every few seconds");
    case TokenState::moved:
        return say(fmt::format("the set was moved to {} at {} and is not used here any more",
                               set_->moved_to.empty() ? "another machine" : set_->moved_to,
                               set_->moved_at.value_or(Instant()).to_short_text()),
                   "where it never arrived: shelfctl auth adopt " + settings_.library + "; else " + import,
                   "refreshes nothing until then");
    case TokenState::copied:
        return say(copied_, "if this is the one daemon that uses the set: shelfctl auth adopt " + settings_.library,
                   "refreshes nothing until then");
    case TokenState::lost:
        if (reason_ == too_large_text) {
            return say("the service gave a new token set that cannot be kept" + said,
                       "ask whoever runs the service for shorter tokens, then " + import);
        }
        return say("the answer to a refresh was lost on its way, and with it the new token set" + said, import);
    case TokenState::foreign:
        return say(
            set_->origin == Origin::pasted || set_->origin == Origin::left_alone
                ? "the service refuses the refresh token that was given: it was used already, revoked, or issued to "
                  "another application" +
                      said
                : "the refresh token was used or revoked by somebody else: a copy of this store, a second server, "
                  "or the owner" +
                      said,
            import);
    case TokenState::wrong_library:
        return say(wrong_library_, "ask the owner to switch the library back, or correct library_id",
                   "asks again before each pass");
    case TokenState::configuration:
        return say("the service refuses this application, not the token" + said,
                   "correct client_id, client_secret or base_url, then: shelfctl reload", "tries again by itself");
    case TokenState::blocked: return describe_blockage(status);
    case TokenState::in_doubt:
        return say("a refresh was sent and its outcome is not known" + said, status.needs_person ? import : "",
                   "finds out by itself");
    case TokenState::ended: return say("the access token has ended, and there is no refresh token", import);
    case TokenState::ends: return say("works until the access token ends, since there is no refresh token", import);
    case TokenState::refreshing: return say("a refresh is under way", "");
    case TokenState::good: break;
    }
    const auto is_delayed = machine_.why() != Why::nothing && machine_.why() != Why::doubt;
    say(is_delayed ? sentence(machine_.why(), trouble_) : "", "", is_delayed ? "tries again by itself" : "");
}

void TokenKeeper::describe_blockage(TokenStatus& status) const
{
    const std::string then = ", then: shelfctl reload";
    status.reason = sentence(machine_.why(), trouble_);
    status.next = "tries again by itself, every few minutes";
    switch (machine_.why()) {
    case Why::secret: status.do_this = "make the client secret readable for the daemon" + then; break;
    case Why::storage: status.do_this = "repair the disk that it names" + then; break;
    default:
        status.reason = (status.access_usable ? "" : "the access token has ended, and ") + status.reason;
        status.do_this = "look at the way to the service, at base_url and at identity" + then;
    }
}

// The set is in force, and one fault away from being lost.
void TokenKeeper::warn_of_one_copy(TokenStatus& status) const
{
    if (needs_person(status.state) || !wants_mending() || tend_tries_ == 0) {
        return;
    }
    status.needs_person = true;
    status.reason = fmt::format("{} of the token journals can be used: {}",
                                copies_ == 0 ? "neither copy" : "only one copy", storage_trouble_);
    status.do_this = "mend what it names; then, to try at once: shelfctl reload";
    status.next = copies_ == 0 ? "tries again every few minutes"
                               : "goes on with the other copy, refreshes late on it alone, and tries again every few "
                                 "minutes";
}

Error TokenKeeper::why_not() const
{
    const auto known = status();
    const auto text = fmt::format("{}: {}{}{}", settings_.library,
                                  known.reason.empty() ? sentence(machine_.why(), trouble_) : known.reason,
                                  known.do_this.empty() ? "" : "; ", known.do_this);
    const auto is_stuck =
        needs_person(known.state) || machine_.needs_look(services_.clock.boot_now()) || candidate_.has_value();
    const auto kind = known.state == TokenState::unstored ? ErrorKind::storage
                      : is_stuck                          ? ErrorKind::needs_person
                                                          : kind_of(machine_.why());
    Error error(kind, text);
    if (rest_until_ && error.kind() != ErrorKind::needs_person) {
        const auto left = std::max(*rest_until_ - services_.clock.boot_now(), Duration(0));
        error.retry_after = std::chrono::duration_cast<std::chrono::milliseconds>(left);
    }
    return error;
}

Result<AccessToken> TokenKeeper::reveal() const
{
    if (!access_ || !machine_.access_is_usable(services_.clock.boot_now())) {
        return why_not();
    }
    return present();
}

}  // namespace shelfd::oauth
