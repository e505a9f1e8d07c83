#include "oauth/intake/set_login.hpp"

#include "oauth/intake/import_outcome.hpp"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fmt/format.h>

namespace shelfd::oauth {
namespace {

// Attempts of refreshes count from 1, so the answers of both are never confused.
constexpr std::uint32_t login_attempt = 0x8000'0000u;

Error start_again(ErrorKind kind, const std::string& what, const std::string& library)
{
    return Error(kind, fmt::format("{}; start again: shelfctl auth login {}", what, library));
}

// Fails if the answer contains no set.
Result<void> check_answer(const ClassifiedAnswer& answer, const std::string& library)
{
    switch (answer.answer) {
    case AnswerClass::granted:
    case AnswerClass::salvaged: return {};
    case AnswerClass::denied:
        return start_again(ErrorKind::needs_person,
                           fmt::format("the service refuses the code ({}): a code is valid for one minute, works once, "
                                       "and only for the redirect_uri of the login page",
                                       answer.reason),
                           library);
    case AnswerClass::configuration:
        return start_again(ErrorKind::config,
                           fmt::format("the service refuses this application or its request ({}): correct client_id, "
                                       "client_secret, redirect_uri or base_url, then: shelfctl reload",
                                       answer.reason),
                           library);
    case AnswerClass::throttled:
        return start_again(ErrorKind::throttled,
                           fmt::format("the service asked shelfd to wait before it sends a code ({})", answer.reason),
                           library);
    case AnswerClass::server_error:
    case AnswerClass::unclear:
        if (answer.ambiguity == Ambiguity::unread_set) {
            return start_again(ErrorKind::needs_person,
                               fmt::format("the answer to the code may hold a token set, but none can be read from it "
                                           "({}); it is kept in the token journals of {}: ask the operator of the "
                                           "service what its token endpoint answers",
                                           answer.reason, library),
                               library);
        }
        if (answer.ambiguity == Ambiguity::refusal) {
            return start_again(ErrorKind::needs_person,
                               fmt::format("the code was refused ({}), and a code works once; nothing was changed: "
                                           "check base_url and any proxy in front of the service",
                                           answer.reason),
                               library);
        }
        return start_again(ErrorKind::network,
                           fmt::format("the answer to the code did not arrive ({}), and a code works once; nothing "
                                       "was changed",
                                       answer.reason),
                           library);
    }
    std::abort();
}

}  // namespace

asio::awaitable<Result<ImportOutcome>> SetLogin::run(CodeGrant grant)
{
    SHELFD_CO_TRY(parts_.journals.health().check_bar());
    if (parts_.sets.candidate() && parts_.sets.candidate_fault().empty()) {
        co_return Error(ErrorKind::busy, fmt::format("the last login of {} gave a set whose library is not known yet; "
                                                     "shelfd keeps asking: shelfctl auth status {}",
                                                     parts_.settings.library, parts_.settings.library));
    }
    SHELFD_CO_TRY_ASSIGN(secret, co_await parts_.exchange.read_secret());
    failure_.clear();
    // Nothing interrupts this from the INTENT until the answer is on disk.
    auto exchanging = exchange_code(std::move(grant), std::move(secret));
    auto exchanged = co_await asio::co_spawn(parts_.services.executor, std::move(exchanging), asio::use_awaitable);
    if (!exchanged) {
        note_failure(exchanged.error().text());
        co_return std::move(exchanged).error();
    }
    co_return co_await settle();
}

asio::awaitable<Result<void>> SetLogin::exchange_code(CodeGrant grant, Secret client_secret)
{
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    struct Redeeming {
        SetLogin& login;
        ~Redeeming()
        {
            login.is_redeeming_ = false;
            login.parts_.changed();
        }
    };
    is_redeeming_ = true;
    const Redeeming redeeming{*this};
    const auto unwritable = co_await prepare();
    if (!unwritable.empty()) {
        co_return Error(ErrorKind::storage,
                        "the token journals cannot be written, so the code was not sent: " + unwritable);
    }
    const auto sent_at = parts_.moments.now();
    auto request = make_code_request(parts_.settings.endpoint, grant, client_secret);
    auto sending = parts_.exchange.send(std::move(request));
    const auto sent = co_await std::move(sending);
    if (sent == Exchange::Sending::not_sent) {
        co_await close();
        co_return start_again(ErrorKind::network, "the code could not be sent (" + parts_.standing.trouble() + ")",
                              parts_.settings.library);
    }
    auto answer = co_await parts_.exchange.close_answer();
    auto kept = keep_candidate(std::move(answer), sent_at);
    if (!kept) {
        co_await close();
    }
    co_return kept;
}

// Writes a slot for the answer and the INTENT. Returns the failure; "" if at least one copy has both.
asio::awaitable<std::string> SetLogin::prepare()
{
    auto& sets = parts_.sets;
    if (!sets.present()) {
        auto none_yet = sets.new_set();
        none_yet.from_login = true;  // unlike that of a set that was deleted
        auto replacing = change_.replace_shielded(std::move(none_yet), std::nullopt);
        auto trouble = co_await std::move(replacing);
        if (!trouble.empty()) {
            co_return trouble;
        }
    }
    auto intent = parts_.standing.present_note();
    sets.drop_candidate();  // from another service or application; a person gave it up
    const auto owed = parts_.standing.owed_note();
    const auto at = parts_.moments.now();
    intent.code_sent = at;
    intent.code_service = parts_.settings.endpoint.base_url;
    intent.code_client_id = parts_.settings.endpoint.client_id;
    auto work = [&](JournalPair& pair) {
        const auto& present = *sets.present();
        pair.mend(present, owed, parts_.machine.attempt(), at);
        auto written = pair.open_raw(present.generation, login_attempt, at);
        return written.copies == 0 ? written
                                   : pair.write_note(RecordKind::intent, present.generation, login_attempt, intent, at);
    };
    const auto written = co_await parts_.journals.write(work);
    if (written.copies == 0) {
        parts_.journals.forget_code_intent();
        co_return written.trouble;
    }
    parts_.journals.set_code_intent();
    co_return "";
}

// Makes the set of the answer the candidate.
Result<void> SetLogin::keep_candidate(ClassifiedAnswer answer, Moment sent)
{
    SHELFD_TRY(check_answer(answer, parts_.settings.library));
    TokenSet set;
    set.access = std::move(answer.tokens.access);
    set.refresh = std::move(answer.tokens.refresh);
    set.token_type = std::move(answer.tokens.token_type);
    set.scope = std::move(answer.tokens.scope);
    set.lifetime = answer.tokens.lifetime.value_or(assumed_lifetime);
    set.issued = sent;
    set.service = parts_.settings.endpoint.base_url;
    set.client_id = parts_.settings.endpoint.client_id;
    set.origin = set.refresh.empty() ? Origin::access_only : Origin::granted;
    set.from_login = true;
    parts_.sets.set_candidate(std::move(set));
    return {};
}

// Asks the canary for the library of the candidate, then accepts or drops it. Without a verdict it waits in the
// journal.
asio::awaitable<Result<ImportOutcome>> SetLogin::settle()
{
    const auto reading = co_await parts_.canary.ask(parts_.sets.candidate()->access.clone());
    if (!tells_of_set(reading)) {
        parts_.standing.set_trouble("the check of the token: " + reading.text);
        pace_.wait_after(reading);
        parts_.changed();
        const auto kind = reading.misconfigured ? ErrorKind::protocol : ErrorKind::busy;
        co_return Error(kind, fmt::format("the login gave a set whose library is not known yet ({}); "
                                          "shelfd keeps asking: shelfctl auth status {}",
                                          reading.text, parts_.settings.library));
    }
    if (auto checked = check_candidate(reading); !checked) {
        parts_.sets.drop_candidate();
        co_await close();
        note_failure(checked.error().text());
        parts_.services.log.warning("the set of a login is not used",
                                    {{"library", parts_.settings.library}, {"reason", checked.error().text()}});
        co_return std::move(checked).error();
    }
    co_return co_await accept_candidate(reading);
}

// A page that is not that of `identity`, and that nobody may read, is no reason to drop a set that cannot be had again.
bool SetLogin::tells_of_set(const CanaryReading& reading) const
{
    const bool is_identity = !parts_.canary.spec().identity_field.empty();
    return reading.answer != CanaryAnswer::throttled && reading.answer != CanaryAnswer::unreachable &&
           (is_identity || reading.answer != CanaryAnswer::forbidden);
}

Result<void> SetLogin::check_candidate(const CanaryReading& reading) const
{
    const auto& refresh = parts_.sets.candidate()->refresh;
    // A refresh token may outlive its access token by any time, so an expired access token is no fault of the set.
    const bool is_untried = refuses(reading.answer) && !refresh.empty();
    if (!is_untried) {
        SHELFD_TRY(check_reading(reading));
    }
    // Before anything is spent: once it is refreshed, an untried set that belongs to the library expected replaces
    // ours.
    SHELFD_TRY(change_.check_owner(reading.library_id));
    SHELFD_TRY(import_.check_shared(refresh));
    if (refresh.empty() && parts_.machine.can_refresh()) {
        return Error(ErrorKind::needs_person,
                     fmt::format("the service gave only an access token, but {} has a set that can be refreshed, which "
                                 "stays; check the application's scope and grant types at the service",
                                 parts_.settings.library));
    }
    return {};
}

asio::awaitable<Result<ImportOutcome>> SetLogin::accept_candidate(const CanaryReading& reading)
{
    const bool is_untried = refuses(reading.answer);
    const auto given = parts_.sets.candidate()->refresh.clone();
    auto next = parts_.sets.candidate()->clone();
    next.generation = parts_.sets.next_generation();
    next.library_id = reading.library_id.empty() ? parts_.canary.spec().library_id : reading.library_id;
    next.learned = parts_.machine.learned();
    next.origin = is_untried ? Origin::untried : next.origin;
    auto kept = is_untried ? change_.keep_for(next) : std::nullopt;
    auto replacing = change_.replace(std::move(next), std::move(kept));
    const auto trouble = co_await std::move(replacing);
    if (!trouble.empty()) {
        pace_.wait_after(reading);
        co_return Error(ErrorKind::storage,
                        "the set of the login cannot be activated yet; shelfd keeps trying: " + trouble);
    }
    if (is_untried) {
        co_return co_await proof_.refresh_untried(ImportMode::leave_alone, given);
    }
    parts_.sets.record_user(reading.user);
    co_return import_outcome(parts_.facts(), ImportMode::leave_alone, given, reading);
}

asio::awaitable<bool> SetLogin::settle_when_due()
{
    if (parts_.journals.holds_code_intent() && !parts_.sets.candidate()) {
        co_await close();
        constexpr const char* why = "the daemon ended during a login, before its set arrived; log in again";
        note_failure(why);
        parts_.services.log.warning(why, {{"library", parts_.settings.library}});
    } else if (parts_.sets.candidate() && parts_.sets.candidate_fault().empty() && pace_.is_due()) {
        auto settling = settle();
        const auto settled = co_await std::move(settling);
        const auto why = settled ? "" : settled.error().text();
        if (pace_.is_news(why)) {
            parts_.services.log.warning("a login is not completed",
                                        {{"library", parts_.settings.library}, {"reason", why}});
        }
    }
    co_return parts_.sets.candidate().has_value();
}

void SetLogin::note_failure(const std::string& why)
{
    failed_at_ = parts_.services.clock.now();
    failure_ = fmt::format("at {}: {}", failed_at_.to_short_text(), why);
    parts_.changed();
}

std::string SetLogin::failure() const
{
    const auto& sets = parts_.sets;
    return sets.has_set() && sets.present()->issued.wall > failed_at_ ? "" : failure_;
}

asio::awaitable<void> SetLogin::close()
{
    co_await parts_.journals.record_standing();
    parts_.journals.forget_code_intent();
}

void SetLogin::recover(const Note& note, const std::optional<RawAnswer>& raw)
{
    parts_.journals.set_code_intent();
    pace_.make_due();
    if (!raw) {
        return;
    }
    auto landed = classify({raw->status, raw->complete, raw->body.reveal(), Duration(0)});
    if (keep_candidate(std::move(landed), *note.code_sent)) {
        // The issuer at that time, not the configured one. Earlier versions did not store it; it was that of the
        // present set.
        const bool is_said = !note.code_service.empty();
        const auto& present = *parts_.sets.present();
        parts_.sets.set_candidate_issuer(is_said ? HeldSets::Issuer{note.code_service, note.code_client_id}
                                                 : HeldSets::Issuer{present.service, present.client_id});
    }
}

}  // namespace shelfd::oauth
