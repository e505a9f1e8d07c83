#include "sync/identity_check.hpp"

#include "sync/canary_choice.hpp"

namespace shelfd::sync {

asio::awaitable<void> IdentityCheck::prepare(budget::Tally& spent)
{
    if (stand_in_ != nullptr) {
        co_await stand_in_->choose(spent);
    }
}

bool IdentityCheck::is_possible() const
{
    return stand_in_ == nullptr || stand_in_->is_fit();
}

asio::awaitable<IdentityCheck::Answer> IdentityCheck::confirm(Duration max_age)
{
    const auto turn = co_await asking_.lock();
    if (is_confirmed(max_age)) {
        co_return Answer{};
    }
    const auto asked_at = clock_.boot_now();
    auto answer = heed(co_await ask());
    if (answer.trouble == Trouble::none && !answer.unsure) {
        confirmed_at_ = asked_at;
    }
    co_return answer;
}

IdentityCheck::Answer IdentityCheck::heed(Answer answer)
{
    const bool tells_nothing = answer.trouble == Trouble::forbidden || answer.trouble == Trouble::needs_person;
    if (stand_in_ == nullptr || !tells_nothing || !keeper_.status().access_usable) {
        return answer;
    }
    stand_in_->forget();
    return {Trouble::none, "", answer.requests, true};
}

asio::awaitable<IdentityCheck::Answer> IdentityCheck::ask()
{
    for (std::uint32_t sent = 1;; ++sent) {
        auto verdict = co_await keeper_.canary();
        if (!verdict) {
            co_return Answer{trouble_of(verdict.error()), verdict.error().text(), sent - 1, false};
        }
        switch (verdict->kind) {
        case oauth::CanaryVerdict::Kind::ours: co_return Answer{Trouble::none, "", sent, false};
        case oauth::CanaryVerdict::Kind::wrong_library:
            co_return Answer{Trouble::wrong_library, verdict->text, sent, false};
        case oauth::CanaryVerdict::Kind::forbidden: co_return Answer{Trouble::forbidden, verdict->text, sent, false};
        case oauth::CanaryVerdict::Kind::misconfigured:
            co_return Answer{Trouble::needs_person, verdict->text, sent, false};
        case oauth::CanaryVerdict::Kind::unreachable: co_return Answer{Trouble::passing, verdict->text, sent, false};
        case oauth::CanaryVerdict::Kind::unauthorized: break;
        }
        // A canary that refuses a token straight after a refresh refuses us, not the token.
        if (sent > 1) {
            co_return Answer{Trouble::forbidden, verdict->text, sent, false};
        }
        auto token = co_await keeper_.reject(verdict->generation, "");
        if (!token) {
            co_return Answer{trouble_of(token.error()), token.error().text(), sent, false};
        }
    }
}

}  // namespace shelfd::sync
