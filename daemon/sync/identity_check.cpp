#include "sync/identity_check.hpp"

namespace shelfd::sync {

asio::awaitable<IdentityCheck::Answer> IdentityCheck::confirm(Duration max_age)
{
    const auto turn = co_await asking_.lock();
    if (is_confirmed(max_age)) {
        co_return Answer{};
    }
    const auto asked_at = clock_.boot_now();
    auto answer = co_await ask();
    if (answer.trouble == Trouble::none) {
        confirmed_at_ = asked_at;
    }
    co_return answer;
}

asio::awaitable<IdentityCheck::Answer> IdentityCheck::ask()
{
    for (std::uint32_t sent = 1;; ++sent) {
        auto verdict = co_await keeper_.canary();
        if (!verdict) {
            co_return Answer{trouble_of(verdict.error()), verdict.error().text(), sent - 1};
        }
        switch (verdict->kind) {
        case oauth::CanaryVerdict::Kind::ours: co_return Answer{Trouble::none, "", sent};
        case oauth::CanaryVerdict::Kind::wrong_library: co_return Answer{Trouble::wrong_library, verdict->text, sent};
        case oauth::CanaryVerdict::Kind::forbidden: co_return Answer{Trouble::forbidden, verdict->text, sent};
        case oauth::CanaryVerdict::Kind::misconfigured: co_return Answer{Trouble::needs_person, verdict->text, sent};
        case oauth::CanaryVerdict::Kind::unreachable: co_return Answer{Trouble::passing, verdict->text, sent};
        case oauth::CanaryVerdict::Kind::unauthorized: break;
        }
        // A canary that refuses a token straight after a refresh refuses us, not the token.
        if (sent > 1) {
            co_return Answer{Trouble::forbidden, verdict->text, sent};
        }
        auto token = co_await keeper_.reject(verdict->generation, "");
        if (!token) {
            co_return Answer{trouble_of(token.error()), token.error().text(), sent};
        }
    }
}

}  // namespace shelfd::sync
