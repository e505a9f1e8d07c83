#include "oauth/status/describe.hpp"

#include <fmt/format.h>

namespace shelfd::oauth {
namespace {

void say(TokenStatus& status, std::string reason, std::string do_this, std::string next = "")
{
    status.reason = std::move(reason);
    status.do_this = std::move(do_this);
    status.next = std::move(next);
}

std::string import_advice(const std::string& library)
{
    return fmt::format("ask the owner for a new token set (shelfctl auth ask {0} prints a letter), then: shelfctl auth "
                       "import {0}",
                       library);
}

// "tries again at 06:30:12"; `pace`: how often, with a space before it.
std::string again_at(const TokenStatus& status, const std::string& pace = "")
{
    const auto next = status.next_refresh ? " at " + status.next_refresh->to_short_text() : "";
    return "tries again" + pace + (pace.empty() || next.empty() ? next : ", next" + next);
}

// The service refuses this client. Not every refusal is about its secret.
std::string advice_on_refusal(ReasonKind reason, const std::string& library)
{
    return reason == ReasonKind::refused_scope
               ? "ask the operator of the service to permit the scopes of this set to the application, then: shelfctl "
                 "reload"
               : "correct client_id, client_secret or base_url, then: shelfctl reload; the files in which they are: "
                 "shelfctl config show --origin --library " +
                     library;
}

std::string in_brackets(const std::string& reason)
{
    return reason.empty() ? "" : " (" + reason + ")";
}

// For journals that cannot be opened, must not be changed, or have no set although there was one.
void describe_journals(TokenStatus& status, const TokenFacts& facts)
{
    if (facts.journals.is_closed()) {
        say(status, facts.journals.store.why, "correct what it names; then, to try at once: shelfctl reload",
            "tries again every 15 minutes or sooner, and changes nothing until then");
    } else if (facts.journals.bar().empty()) {
        say(status, facts.journals.store.why,
            "restore them and restart shelfd; otherwise " + import_advice(facts.library));
    } else {
        say(status, facts.journals.store.why, "stop the daemon and restore the right journals");
    }
}

// The refresh token no longer works.
void describe_loss(TokenStatus& status, const TokenFacts& facts)
{
    const auto import = import_advice(facts.library);
    const auto said = in_brackets(facts.standing.reason());
    const auto origin = facts.sets.present()->origin;
    if (status.state == TokenState::lost && facts.standing.reason_kind() == ReasonKind::too_large) {
        say(status, "the service issued a new token set that cannot be kept" + said,
            "ask the operator of the service for shorter tokens, then " + import);
    } else if (facts.standing.reason_kind() == ReasonKind::after_unread_answer) {
        say(status,
            fmt::format("the answer to a refresh contained no readable token set, and the next try was refused{}; the "
                        "answer may still be in {}",
                        said, facts.places),
            "copy these files, and ask the operator of the service what its token endpoint answers; else " + import);
    } else if (status.state == TokenState::lost) {
        say(status,
            fmt::format("the answer to a refresh was lost, and with it the new token set{}; what arrived of it, if "
                        "anything did, may still be in {}",
                        said, facts.places),
            import);
    } else if (origin == Origin::pasted || origin == Origin::left_alone) {
        say(status,
            "the service refuses the imported refresh token: it was used already, revoked, or issued to another "
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

void describe_doubt(TokenStatus& status, const TokenFacts& facts)
{
    const auto& doubt = facts.machine.doubt();
    const auto said = in_brackets(facts.standing.reason());
    const auto at_once = "; to try at once: shelfctl sync " + facts.library;
    const auto again = status.next_refresh ? status.next_refresh->to_short_text() : "";
    if (doubt.unreadable > 0 && !doubt.alive) {
        say(status,
            fmt::format("the answer to a refresh contains no readable token set{}; it is kept in {}", said,
                        facts.places),
            "copy these files, and ask the operator of the service what its token endpoint answers" + at_once +
                "; else " + import_advice(facts.library),
            again.empty() ? "sends nothing by itself: the refresh token is spent, and the new one is in that answer"
                          : fmt::format("sends the refresh again at {}; each try overwrites an older answer", again));
    } else if (doubt.throttled) {
        say(status, "the token endpoint asked shelfd to wait" + said, "",
            "tests whether the old access token still works, and sends the refresh again at " + again);
    } else if (doubt.refusals > 0) {
        say(status,
            fmt::format("a refresh was refused{}; {}", said,
                        doubt.alive ? "the service did not execute it, because the old access token still works"
                                    : "whether the service executed it is not known yet"),
            status.needs_person ? "check base_url and any proxy in front of the service" + at_once : "",
            fmt::format("tests the old access token and sends the refresh again at {}", again));
    } else {
        say(status, "a refresh was sent and its outcome is not known" + said,
            status.needs_person ? import_advice(facts.library) : "",
            fmt::format("asks the service again{} whether the old access token works, and sends the refresh again if "
                        "necessary{}",
                        again.empty() ? "" : " at " + again, status.needs_person ? "" : at_once));
    }
}

// No access token works, and only waiting is needed.
void describe_waiting(TokenStatus& status, const TokenFacts& facts)
{
    const auto why = facts.machine.why();
    const auto reason = why == Why::nothing || why == Why::doubt ? "" : sentence(why, facts.standing.trouble());
    say(status, reason.empty() ? "the access token no longer works, and a refresh is due" : reason,
        status.needs_person ? "ask the operator of the service what its token endpoint answers; to try at once: "
                              "shelfctl sync " +
                                  facts.library
                            : "",
        status.next_refresh ? "refreshes the set at " + status.next_refresh->to_short_text() : "");
}

void describe_blockage(TokenStatus& status, const TokenFacts& facts)
{
    const std::string then = ", then: shelfctl reload";
    status.reason = sentence(facts.machine.why(), facts.standing.trouble());
    status.next = again_at(status, " every 15 minutes or sooner");
    switch (facts.machine.why()) {
    case Why::secret: status.do_this = "make the client secret readable for the daemon" + then; break;
    case Why::storage: status.do_this = "repair the disk that it names" + then; break;
    default:
        status.reason = (status.access_usable ? "" : "the access token has expired, and ") + status.reason;
        status.do_this = "check the network path to the service, base_url and identity" + then;
    }
}

// The set is in force, but one more fault would lose it.
void warn_of_one_copy(TokenStatus& status, const TokenFacts& facts)
{
    if (needs_person(status.state) || !facts.wants_mending || facts.journals.tries == 0) {
        return;
    }
    status.needs_person = true;
    status.reason = fmt::format("{} of the token journals can be used: {}",
                                facts.journals.copies == 0 ? "neither copy" : "only one copy", facts.journals.trouble);
    status.do_this = "correct what it names; then, to try at once: shelfctl reload";
    status.next = facts.journals.copies == 0 ? "tries again every 15 minutes or sooner"
                                             : "uses the other copy, delays refreshes while there is only one, and "
                                               "tries to restore this copy every 15 minutes or sooner";
}

// A set from a login waits. The advice must not destroy it.
void describe_candidate(TokenStatus& status, const TokenFacts& facts)
{
    if (!facts.sets.candidate()) {
        return;
    }
    if (const auto fault = facts.sets.candidate_fault(); !fault.empty()) {
        status.needs_person = true;
        status.reason = "the set of the last login waits: " + fault;
        status.do_this =
            "correct the configuration, or log in again, which discards that set: shelfctl auth login " + facts.library;
        status.next = "keeps it until then, and refreshes nothing";
        return;
    }
    status.needs_person = !status.access_usable;
    status.reason =
        "the set of the last login waits until its library is known" + in_brackets(facts.standing.trouble());
    status.do_this =
        status.access_usable
            ? ""
            : "check the network path to the service, base_url and identity; then, to try at once: shelfctl reload";
    status.next = "asks again, keeps that set until then, and refreshes nothing";
}

// The journals of a library without a set begin with a login, or end with a deletion.
const char* reason_of_none(const std::optional<TokenSet>& set)
{
    return set && !set->from_login ? "its token set was deleted with auth forget" : "no token set was imported yet";
}

void describe_state(TokenStatus& status, const TokenFacts& facts)
{
    const auto import = import_advice(facts.library);
    const auto said = in_brackets(facts.standing.reason());
    const auto& set = facts.sets.present();
    switch (status.state) {
    case TokenState::unreadable: return describe_journals(status, facts);
    case TokenState::none: return say(status, reason_of_none(set), import);
    case TokenState::other_service:
        return say(status, facts.sets.issuer_fault(*set),
                   "correct the configuration, then: shelfctl reload; otherwise " + import);
    case TokenState::unstored:
        return say(status, "a new token set is in memory only: no disk accepts it: " + facts.standing.trouble(),
                   "free space on the disk of storage.tokens, or repair it; do not stop the daemon",
                   "tries again every few seconds");
    case TokenState::moved:
        return say(status,
                   fmt::format("the set was moved to {} at {} and is no longer used here",
                               set->moved_to.empty() ? "another machine" : set->moved_to,
                               set->moved_at.value_or(Instant()).to_short_text()),
                   "if it did not arrive: shelfctl auth adopt " + facts.library + "; else " + import,
                   "refreshes nothing until then");
    case TokenState::copied:
        return say(status, facts.journals.store.why,
                   facts.sets.is_behind_mirror()
                       ? "restore the newer journals and restart shelfd; otherwise " + import +
                             "; if neither is possible (its refresh token was probably used before, so the service may "
                             "refuse it): shelfctl auth adopt " +
                             facts.library
                       : "if no other daemon uses this set: shelfctl auth adopt " + facts.library,
                   "refreshes nothing until then");
    case TokenState::lost:
    case TokenState::foreign: return describe_loss(status, facts);
    case TokenState::wrong_library:
        return say(status, facts.sets.wrong_library(),
                   fmt::format("ask the owner to switch the library back, then: shelfctl sync {}; or correct "
                               "library_id, then: shelfctl reload",
                               facts.library),
                   "asks again before each pass, every two to fifteen minutes, and publishes nothing until then");
    case TokenState::configuration:
        return say(status, "the service refuses this application, not the token" + said,
                   advice_on_refusal(facts.standing.reason_kind(), facts.library), again_at(status));
    case TokenState::blocked: return describe_blockage(status, facts);
    case TokenState::in_doubt: return describe_doubt(status, facts);
    case TokenState::waiting: return describe_waiting(status, facts);
    case TokenState::ended: return say(status, "the access token has expired, and there is no refresh token", import);
    case TokenState::ends:
        return say(status, "works until the access token expires, because there is no refresh token", import);
    case TokenState::refreshing: return say(status, "a refresh is in progress", "");
    case TokenState::good: break;
    }
    if (set->remark_at && facts.machine.why() == Why::nothing) {
        return say(status, fmt::format("{}: {}", set->remark_at->to_short_text(), set->remark),
                   "if that is not wanted, or the next refresh fails: " + import,
                   "uses the present set, and shows this until its next refresh");
    }
    const auto is_delayed = facts.machine.why() != Why::nothing && facts.machine.why() != Why::doubt;
    say(status, is_delayed ? sentence(facts.machine.why(), facts.standing.trouble()) : "", "",
        is_delayed ? again_at(status) : "");
}

}  // namespace

std::string sentence(Why why, const std::string& trouble)
{
    const auto because = trouble.empty() ? "" : ": " + trouble;
    switch (why) {
    case Why::nothing: return "";
    case Why::unreachable: return "the service cannot be asked about the token" + because;
    case Why::throttled: return "the service asked shelfd to wait, and the next refresh waits for that";
    case Why::secret: return "the client secret cannot be read" + because;
    case Why::storage: return "the token journals cannot be written, so nothing is sent" + because;
    case Why::not_sent: return "the refresh could not be sent; the refresh token is unused" + because;
    case Why::hurried: return "the service refuses a token that it has just issued";
    case Why::too_many:
        return "the daily limit of refreshes is reached, and the next one waits for its share of the day";
    case Why::no_access: return "the service issued a new set without a usable access token";
    case Why::turn: return "the refresh waits for a slow refresh of another library; this set is still valid";
    case Why::doubt: return "a refresh was sent and its outcome is not known yet";
    case Why::configuration: return "the service refuses this application";
    case Why::person: return "the token set needs a person";
    case Why::copied: return "the token store looks copied or restored";
    case Why::canary_unfit:
        return "the page that shows whether a token works accepts any token, so a refusal elsewhere cannot be "
               "confirmed";
    }
    std::abort();
}

void add_sentences(TokenStatus& status, const TokenFacts& facts)
{
    describe_state(status, facts);
    warn_of_one_copy(status, facts);
    describe_candidate(status, facts);
}

}  // namespace shelfd::oauth
