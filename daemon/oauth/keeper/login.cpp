// A set from an authorization code. Its answer is worth as much as that of a refresh, so it takes the same way: a slot
// that is known to be writable, an INTENT, one POST, every byte on disk before it is read. The INTENT repeats what the
// newest note said about the present set, which is not touched before the canary has named the new one's library.
#include "oauth/keeper/token_keeper.hpp"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fmt/format.h>

namespace shelfd::oauth {
namespace {

// Attempts of refreshes count from 1: an answer of one is never taken for that of the other.
constexpr std::uint32_t login_attempt = 0x8000'0000u;

Error start_again(ErrorKind kind, const std::string& what, const std::string& library)
{
    return Error(kind, fmt::format("{}; start again: shelfctl auth login {}", what, library));
}

std::optional<Error> refusal_of(const ClassifiedAnswer& answer, const std::string& library)
{
    switch (answer.answer) {
    case AnswerClass::granted:
    case AnswerClass::salvaged: return std::nullopt;
    case AnswerClass::denied:
        return start_again(ErrorKind::usage,
                           fmt::format("the service refuses the code ({}): a code lives for one minute and works once, "
                                       "for the redirect_uri that the login page was given",
                                       answer.reason),
                           library);
    case AnswerClass::configuration:
        return start_again(ErrorKind::usage,
                           fmt::format("the service refuses this application or its request ({}): correct client_id, "
                                       "client_secret, redirect_uri or base_url, then: shelfctl reload",
                                       answer.reason),
                           library);
    case AnswerClass::throttled:
        return start_again(ErrorKind::throttled,
                           fmt::format("the service asks to wait before a code is redeemed ({})", answer.reason),
                           library);
    case AnswerClass::server_error:
    case AnswerClass::unclear:
        if (answer.ambiguity == Ambiguity::refusal) {
            return start_again(
                ErrorKind::usage,
                fmt::format("the code was refused ({}), and a code works once; nothing was changed: look "
                            "at base_url and at what stands in front of the service",
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

asio::awaitable<Result<ImportOutcome>> TokenKeeper::run_login(CodeGrant grant)
{
    if (!barred_.empty()) {
        co_return Error(ErrorKind::corrupt, barred_);
    }
    if (candidate_ && candidate_fault().empty()) {
        co_return Error(ErrorKind::busy,
                        fmt::format("the last login of {} gave a set, and the service could not be asked yet whose it "
                                    "is; shelfd goes on asking: shelfctl auth status {}",
                                    settings_.library, settings_.library));
    }
    SHELFD_CO_TRY_ASSIGN(secret, co_await read_secret());
    // From the INTENT to the answer's last byte on disk nothing interrupts this.
    auto exchanging = exchange_code(std::move(grant), std::move(secret));
    auto failed = co_await asio::co_spawn(services_.executor, std::move(exchanging), asio::use_awaitable);
    if (failed) {
        co_return std::move(*failed);
    }
    co_return co_await settle_login();
}

asio::awaitable<std::optional<Error>> TokenKeeper::exchange_code(CodeGrant grant, Secret client_secret)
{
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    struct Redeeming {
        TokenKeeper& keeper;
        ~Redeeming()
        {
            keeper.is_redeeming_ = false;
            keeper.announce();
        }
    };
    is_redeeming_ = true;
    const Redeeming redeeming{*this};
    const auto unwritable = co_await prepare_for_code();
    if (!unwritable.empty()) {
        co_return Error(ErrorKind::storage,
                        "the token journals cannot be written, so the code was not sent: " + unwritable);
    }
    const auto sent_at = now();
    auto request = make_code_request(settings_.endpoint, grant, client_secret);
    auto sending = send_landing(std::move(request));
    const auto sent = co_await std::move(sending);
    if (sent == Sending::not_sent) {
        co_await close_login();
        co_return start_again(ErrorKind::network, "the code could not be sent (" + trouble_ + ")", settings_.library);
    }
    auto landed = co_await close_answer();
    auto refused = handle_code_answer(std::move(landed), sent_at);
    if (refused) {
        co_await close_login();
    }
    co_return refused;
}

// A slot for the answer, and the INTENT: what went wrong, "" when one copy at least has both.
asio::awaitable<std::string> TokenKeeper::prepare_for_code()
{
    if (!set_) {
        TokenSet nothing;
        nothing.generation = mirror_generation_ + 1;
        nothing.service = settings_.endpoint.base_url;
        nothing.client_id = settings_.endpoint.client_id;
        auto replacing = replace_set_shielded(std::move(nothing), std::nullopt);
        auto trouble = co_await std::move(replacing);
        if (!trouble.empty()) {
            co_return trouble;
        }
    }
    const auto standing = standing_note();
    candidate_.reset();  // one of another service or application, which a person gave up
    const auto owed = owed_note();
    const auto at = now();
    auto intent = standing;
    intent.code_sent = at;
    intent.code_service = settings_.endpoint.base_url;
    intent.code_client_id = settings_.endpoint.client_id;
    Written written;
    auto work = [&] {
        pair_.mend(*set_, owed, machine_.attempt(), at);
        written = pair_.open_raw(set_->generation, login_attempt, at);
        if (written.copies > 0) {
            written = pair_.write_note(RecordKind::intent, set_->generation, login_attempt, intent, at);
        }
    };
    co_await run_on_disk(work);
    login_is_open_ = written.copies > 0;
    co_return login_is_open_ ? "" : written.trouble;
}

// Where the present set stands, as a restart must find it.
Note TokenKeeper::standing_note() const
{
    return note_of(machine_.doubt(), machine_.standing());
}

std::optional<Error> TokenKeeper::handle_code_answer(ClassifiedAnswer answer, Moment sent)
{
    if (auto refused = refusal_of(answer, settings_.library)) {
        return refused;
    }
    TokenSet set;
    set.access = std::move(answer.tokens.access);
    set.refresh = std::move(answer.tokens.refresh);
    set.token_type = std::move(answer.tokens.token_type);
    set.scope = std::move(answer.tokens.scope);
    set.lifetime = answer.tokens.lifetime.value_or(assumed_lifetime);
    set.issued = sent;
    set.service = settings_.endpoint.base_url;
    set.client_id = settings_.endpoint.client_id;
    set.origin = set.refresh.empty() ? Origin::access_only : Origin::granted;
    set.from_login = true;
    candidate_ = std::move(set);
    return std::nullopt;
}

// Asks whose set the login gave, and takes it or drops it. Where nobody can tell, it waits in the journal.
asio::awaitable<Result<ImportOutcome>> TokenKeeper::settle_login()
{
    const auto reading = co_await read_canary_with(candidate_->access.clone());
    auto refusal = refusal_of(reading);
    if (refusal && refusal->kind() == ErrorKind::network) {
        trouble_ = "the canary: " + reading.text;
        asking_due_ = ask_again_at(reading);
        announce();
        co_return Error(
            ErrorKind::network,
            fmt::format("the login gave a set, and the service cannot be asked yet whose it is ({}); shelfd "
                        "goes on asking: shelfctl auth status {}",
                        reading.text, settings_.library));
    }
    // A refresh token outlives its access token by any time: it waited too long, which says nothing against it.
    const bool is_untried = refuses(reading.answer) && !candidate_->refresh.empty();
    if (!refusal || is_untried) {
        refusal = refuse_shared(candidate_->refresh);
    }
    if (!refusal && candidate_->refresh.empty() && machine_.can_refresh()) {
        refusal = Error(ErrorKind::usage,
                        fmt::format("the service gave an access token alone, and {} holds a set that renews itself: "
                                    "that one stays; what is asked for is the application's scope, and its grant types",
                                    settings_.library));
    }
    if (refusal) {
        candidate_.reset();
        co_await close_login();
        services_.log.warning("the set that a login gave is not used",
                              {{"library", settings_.library}, {"reason", refusal->text()}});
        co_return std::move(*refusal);
    }
    co_return co_await accept_candidate(reading);
}

asio::awaitable<Result<ImportOutcome>> TokenKeeper::accept_candidate(const CanaryReading& reading)
{
    const bool is_untried = refuses(reading.answer);
    const auto given = candidate_->refresh.clone();
    auto next = candidate_->clone();
    next.generation = std::max(set_->generation, mirror_generation_) + 1;
    next.library_id = reading.library_id.empty() ? canary_spec().library_id : reading.library_id;
    next.learned = machine_.learned();
    next.origin = is_untried ? Origin::untried : next.origin;
    auto kept = is_untried ? keep_for(next) : std::nullopt;
    auto replacing = replace_set(std::move(next), std::move(kept));
    const auto trouble = co_await std::move(replacing);
    if (!trouble.empty()) {
        asking_due_ = ask_again_at(reading);
        co_return Error(ErrorKind::storage,
                        "the set that the login gave cannot be put in force yet; shelfd goes on trying: " + trouble);
    }
    if (is_untried) {
        co_return co_await refresh_untried(ImportMode::leave_alone, given);
    }
    co_return import_outcome(ImportMode::leave_alone, given);
}

// Why a set that waits must not be shown to the service that is configured now; "" = it may.
std::string TokenKeeper::candidate_fault() const
{
    return candidate_ ? environment_fault(*candidate_) : "";
}

// True while a login waits for the canary.
asio::awaitable<bool> TokenKeeper::settle_login_when_due()
{
    if (login_is_open_ && !candidate_) {
        co_await close_login();
        services_.log.warning("the daemon ended while a login was under way, and no set of it arrived; start it again",
                              {{"library", settings_.library}});
    } else if (candidate_ && candidate_fault().empty() && asking_due_ <= services_.clock.boot_now()) {
        auto settling = settle_login();
        const auto settled = co_await std::move(settling);
        const auto why = settled ? "" : settled.error().text();
        if (std::exchange(told_waiting_, why) != why && !settled) {
            services_.log.warning("a login is not settled", {{"library", settings_.library}, {"reason", why}});
        }
    }
    co_return candidate_.has_value();
}

asio::awaitable<void> TokenKeeper::close_login()
{
    co_await record_standing();
    login_is_open_ = false;
}

void TokenKeeper::recover_login(const Note& note, const std::optional<RawAnswer>& raw)
{
    login_is_open_ = true;
    asking_due_ = services_.clock.boot_now();
    if (raw) {
        auto landed = classify({raw->status, raw->complete, raw->body.reveal(), Duration(0)});
        [[maybe_unused]] const auto refused = handle_code_answer(std::move(landed), *note.code_sent);
    }
    if (candidate_) {
        // As asked then, not as configured now. A note of an earlier version does not say: it was as for the set.
        const bool is_said = !note.code_service.empty();
        candidate_->service = is_said ? note.code_service : set_->service;
        candidate_->client_id = is_said ? note.code_client_id : set_->client_id;
    }
}

}  // namespace shelfd::oauth
