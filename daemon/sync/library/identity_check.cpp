#include "sync/library/identity_check.hpp"

#include "sync/library/canary_choice.hpp"
#include "sync/trouble/error_source.hpp"

#include <algorithm>

namespace shelfd::sync {
namespace {

// How long the identity page's refusal of a wrong token counts. A list has no such time: the service may make it public
// at any moment.
constexpr Duration page_is_fit_for = std::chrono::hours(1);
// How long a test counts where no row is deleted.
constexpr Duration test_counts_for = std::chrono::hours(1);

constexpr const char* takes_any_token = "nothing distinguishes a valid token from a wrong one: set `identity` of the "
                                        "service to a page that names the library and refuses a wrong token";

constexpr const char* no_list_shows_it = "no list shows now whether the token works, so no rows are published";

}  // namespace

asio::awaitable<void> IdentityCheck::prepare(budget::Tally& spent)
{
    if (stand_in_ == nullptr) {
        co_return;
    }
    // A 401 elsewhere has shown that it accepts any token.
    if (stand_in_->is_fit() && !keeper_.status().learned.canary_refuses.value_or(true)) {
        forget();
        stand_in_->forget();
    }
    co_await stand_in_->choose(spent);
}

bool IdentityCheck::is_possible() const
{
    return stand_in_ == nullptr || stand_in_->is_fit();
}

// The question that an import asks of the identity page is the same one.
bool IdentityCheck::is_confirmed(Duration max_age) const
{
    const auto imported_at = stand_in_ == nullptr ? keeper_.identified_at() : std::nullopt;
    const auto latest = std::max(confirmed_at_, imported_at);  // nullopt is the least
    // The keeper knows of answers that this object has not heard.
    return latest > denied_at_ && clock_.boot_now() - *latest < max_age &&
           keeper_.status().state != oauth::TokenState::wrong_library;
}

asio::awaitable<IdentityCheck::Answer> IdentityCheck::confirm(Duration max_age)
{
    const auto turn = co_await asking_.lock();
    if (is_confirmed(max_age)) {
        co_return Answer{};
    }
    co_return co_await ask_now();
}

asio::awaitable<IdentityCheck::Answer> IdentityCheck::confirm_after(BootTime moment)
{
    const auto turn = co_await asking_.lock();
    if (is_confirmed_after(moment)) {
        co_return Answer{};
    }
    co_return co_await ask_now();
}

asio::awaitable<IdentityCheck::Answer> IdentityCheck::ask_now()
{
    const auto asked_at = clock_.boot_now();
    Answer answer;
    const bool has_canary = is_possible() || !keeper_.status().access_usable;
    if (has_canary) {
        answer = co_await ask();
    }
    if (!has_canary || shows_nothing(answer)) {
        answer = co_await ask_another_list(std::move(answer));
    }
    if (answer.trouble == Trouble::none) {
        confirmed_at_ = asked_at;
    } else if (answer.trouble != Trouble::passing && answer.requests > 0) {  // without a token nobody was asked
        denied_at_ = asked_at;
    }
    co_return answer;
}

bool IdentityCheck::is_unfit() const
{
    return stand_in_ == nullptr ? takes_any_token_ : stand_in_->is_known_unfit();
}

asio::awaitable<Fitness> IdentityCheck::try_wrong_token(budget::Tally& spent)
{
    if (stand_in_ != nullptr) {
        const bool was_fit = stand_in_->is_fit();
        const auto fitness = co_await stand_in_->prove(spent);
        if (!was_fit || fitness != Fitness::fit || spent.total() > 1) {
            forget();  // the answers so far came from a list that shows nothing
        }
        co_return fitness;
    }
    const auto reading = co_await keeper_.ask_with_wrong_token();
    spent.count(budget::Reason::canary);
    const auto fitness = fitness_of(reading);
    takes_any_token_ = fitness == Fitness::unknown ? takes_any_token_ : fitness == Fitness::unfit;
    co_return fitness;
}

asio::awaitable<IdentityCheck::Proving> IdentityCheck::prove_fit(BootTime moment)
{
    const auto turn = co_await proving_.lock();
    const bool is_page = stand_in_ == nullptr;
    const auto proven_since = is_page ? clock_.boot_now() - page_is_fit_for : moment;
    if (proven_fit_at_ && *proven_fit_at_ > proven_since) {
        co_return Proving{};
    }
    co_return co_await prove_now();
}

asio::awaitable<IdentityCheck::Proving> IdentityCheck::prove_fit_lately()
{
    const auto turn = co_await proving_.lock();
    const auto since = clock_.boot_now() - test_counts_for;
    if (proven_fit_at_ && *proven_fit_at_ > since) {
        co_return Proving{};
    }
    if (proven_unfit_at_ && *proven_unfit_at_ > since && is_unfit()) {
        co_return Proving{Fitness::unfit, takes_any_token};
    }
    co_return co_await prove_now();
}

asio::awaitable<IdentityCheck::Proving> IdentityCheck::prove_now()
{
    const auto asked_at = clock_.boot_now();
    budget::Tally spent;
    Proving proving;
    proving.fitness = co_await try_wrong_token(spent);
    proving.requests = static_cast<std::uint32_t>(spent.total());
    switch (proving.fitness) {
    case Fitness::fit:
        proven_fit_at_ = asked_at;
        proven_unfit_at_.reset();
        break;
    case Fitness::unfit:
        proven_fit_at_.reset();
        proven_unfit_at_ = asked_at;
        proving.why = takes_any_token;
        break;
    case Fitness::unknown: proving.why = "the service does not show now whether it refuses a wrong token"; break;
    }
    co_return proving;
}

bool IdentityCheck::shows_nothing(const Answer& answer) const
{
    const bool is_refusal = answer.trouble == Trouble::forbidden || answer.trouble == Trouble::needs_person;
    return stand_in_ != nullptr && is_refusal && keeper_.status().access_usable;
}

// A list is chosen only if it accepts our token now, so its choice is the answer.
asio::awaitable<IdentityCheck::Answer> IdentityCheck::ask_another_list(Answer refusal)
{
    if (stand_in_->is_fit()) {
        forget();
        stand_in_->forget();
    }
    budget::Tally spent;
    co_await stand_in_->choose(spent);
    Answer answer;
    answer.requests = refusal.requests + static_cast<std::uint32_t>(spent.total());
    if (!stand_in_->is_fit()) {
        answer.trouble = Trouble::passing;
        answer.unsure = stand_in_->is_known_unfit();
        answer.source = refusal.source;
        answer.why = no_list_shows_it + (refusal.why.empty() ? std::string() : ": " + refusal.why);
    }
    co_return answer;
}

asio::awaitable<IdentityCheck::Answer> IdentityCheck::ask()
{
    for (std::uint32_t sent = 1;; ++sent) {
        auto verdict = co_await keeper_.canary();
        if (!verdict) {
            co_return Answer{trouble_of(verdict.error()), verdict.error().text(), sent - 1, false,
                             source_of(verdict.error())};
        }
        switch (verdict->kind) {
        case oauth::CanaryVerdict::Kind::ours: co_return Answer{Trouble::none, "", sent, false};
        case oauth::CanaryVerdict::Kind::wrong_library:
            co_return Answer{Trouble::wrong_library, verdict->text, sent, false};
        case oauth::CanaryVerdict::Kind::forbidden: co_return Answer{Trouble::forbidden, verdict->text, sent, false};
        case oauth::CanaryVerdict::Kind::misconfigured:
            co_return Answer{Trouble::needs_person, verdict->text, sent, false,
                             stand_in_ == nullptr ? TroubleSource::identity : TroubleSource::service};
        case oauth::CanaryVerdict::Kind::unreachable:
            co_return Answer{Trouble::passing, verdict->text, sent, false, verdict->source};
        case oauth::CanaryVerdict::Kind::unauthorized: break;
        }
        // If the canary refuses a token just after a refresh, it refuses this library's access, not the token.
        if (sent > 1) {
            co_return Answer{Trouble::forbidden, verdict->text, sent, false};
        }
        auto token = co_await keeper_.reject(verdict->generation, "");
        if (!token) {
            co_return Answer{trouble_of(token.error()), token.error().text(), sent, false, source_of(token.error())};
        }
    }
}

}  // namespace shelfd::sync
