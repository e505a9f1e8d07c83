// Sentences: what the keeper tells people about itself.
#include "oauth/keeper/token_keeper.hpp"

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
    case Why::no_access: return "the service gave a new set without a usable access token";
    case Why::turn: return "a refresh of another library is slow, and this one has time";
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

void say(TokenStatus& status, std::string reason, std::string do_this, std::string next = "")
{
    status.reason = std::move(reason);
    status.do_this = std::move(do_this);
    status.next = std::move(next);
}

std::string import_advice(const std::string& library)
{
    return "ask the owner for a new token set, then: shelfctl auth import " + library;
}

std::string in_brackets(const std::string& reason)
{
    return reason.empty() ? "" : " (" + reason + ")";
}

}  // namespace

void TokenKeeper::describe(TokenStatus& status) const
{
    const auto import = import_advice(settings_.library);
    const auto said = in_brackets(reason_);
    switch (status.state) {
    case TokenState::unreadable: return describe_journals(status);
    case TokenState::none: return say(status, "no token set was given yet", import);
    case TokenState::other_service:
        return say(status, environment_fault_, "correct the configuration, or else " + import);
    case TokenState::unstored:
        return say(status, "a new token set is in memory only: no disk takes it: " + trouble_,
                   "make room on the disk of storage.tokens; do not stop the daemon", "tries again every few seconds");
    case TokenState::moved:
        return say(status,
                   fmt::format("the set was moved to {} at {} and is not used here any more",
                               set_->moved_to.empty() ? "another machine" : set_->moved_to,
                               set_->moved_at.value_or(Instant()).to_short_text()),
                   "where it never arrived: shelfctl auth adopt " + settings_.library + "; else " + import,
                   "refreshes nothing until then");
    case TokenState::copied:
        return say(status, copied_,
                   "if this is the one daemon that uses the set: shelfctl auth adopt " + settings_.library,
                   "refreshes nothing until then");
    case TokenState::lost:
    case TokenState::foreign: return describe_loss(status);
    case TokenState::wrong_library:
        return say(status, wrong_library_, "ask the owner to switch the library back, or correct library_id",
                   "asks again before each pass");
    case TokenState::configuration:
        return say(status, "the service refuses this application, not the token" + said,
                   "correct client_id, client_secret or base_url, then: shelfctl reload", "tries again by itself");
    case TokenState::blocked: return describe_blockage(status);
    case TokenState::in_doubt: return describe_doubt(status);
    case TokenState::waiting: return describe_waiting(status);
    case TokenState::ended: return say(status, "the access token has ended, and there is no refresh token", import);
    case TokenState::ends:
        return say(status, "works until the access token ends, since there is no refresh token", import);
    case TokenState::refreshing: return say(status, "a refresh is under way", "");
    case TokenState::good: break;
    }
    const auto is_delayed = machine_.why() != Why::nothing && machine_.why() != Why::doubt;
    say(status, is_delayed ? sentence(machine_.why(), trouble_) : "", "", is_delayed ? "tries again by itself" : "");
}

// They cannot be opened, or must not be touched, or hold nothing where there was a set.
void TokenKeeper::describe_journals(TokenStatus& status) const
{
    if (is_closed_) {
        say(status, barred_, "mend what it names; then, to try at once: shelfctl reload",
            "tries again every few minutes, and touches nothing until then");
    } else if (barred_.empty()) {
        say(status, damaged_, "put them back and restart shelfd, or else " + import_advice(settings_.library));
    } else {
        say(status, barred_, "stop the daemon and put the right journals in place");
    }
}

// The refresh token is dead.
void TokenKeeper::describe_loss(TokenStatus& status) const
{
    const auto import = import_advice(settings_.library);
    const auto said = in_brackets(reason_);
    if (status.state == TokenState::lost && reason_ == too_large_text) {
        say(status, "the service gave a new token set that cannot be kept" + said,
            "ask whoever runs the service for shorter tokens, then " + import);
    } else if (status.state == TokenState::lost) {
        say(status, "the answer to a refresh was lost on its way, and with it the new token set" + said, import);
    } else if (set_->origin == Origin::pasted || set_->origin == Origin::left_alone) {
        say(status,
            "the service refuses the refresh token that was given: it was used already, revoked, or issued to another "
            "application" +
                said,
            import);
    } else {
        say(status,
            "the refresh token was used or revoked by somebody else: a copy of this store, a second server, or the "
            "owner" +
                said,
            import);
    }
}

void TokenKeeper::describe_doubt(TokenStatus& status) const
{
    const auto& doubt = machine_.doubt();
    const auto said = in_brackets(reason_);
    const auto at_once = "; to try at once: shelfctl sync " + settings_.library;
    const auto again = status.next_refresh ? status.next_refresh->to_short_text() : "";
    if (doubt.unreadable > 0 && !doubt.alive) {
        say(status,
            fmt::format("the service answered a refresh with something that no token set can be read from{}; what it "
                        "sent is kept in {}",
                        said, store_.places),
            "copy these files, and ask whoever runs the service what its token endpoint answers" + at_once + "; else " +
                import_advice(settings_.library),
            fmt::format("sends the refresh again at {}, and each try takes the place of an older answer", again));
    } else if (doubt.throttled) {
        say(status, "the token endpoint asks to wait" + said, "",
            "asks whether the old access token still works, and sends the refresh again at " + again);
    } else if (doubt.refusals > 0) {
        say(status,
            fmt::format("a refresh was refused{}; {}", said,
                        doubt.alive ? "it was not carried out, since the old access token still works"
                                    : "whether it was carried out is not known yet"),
            status.needs_person ? "look at base_url and at what stands in front of the service" + at_once : "",
            fmt::format("asks with the old access token and sends the refresh again at {}", again));
    } else {
        say(status, "a refresh was sent and its outcome is not known" + said,
            status.needs_person ? import_advice(settings_.library) : "", "finds out by itself");
    }
}

// No access token works, and nothing is wrong that waiting does not end.
void TokenKeeper::describe_waiting(TokenStatus& status) const
{
    const auto why = machine_.why();
    const auto reason = why == Why::nothing || why == Why::doubt ? "" : sentence(why, trouble_);
    say(status, reason.empty() ? "the access token does not work any more, and a refresh is due" : reason,
        (status.needs_person ? "ask whoever runs the service what its token endpoint answers; to try at once: "
                             : "to try at once: ") +
            ("shelfctl sync " + settings_.library),
        status.next_refresh ? "refreshes the set at " + status.next_refresh->to_short_text() : "");
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

}  // namespace shelfd::oauth
