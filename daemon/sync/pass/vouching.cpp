#include "sync/pass/vouching.hpp"

#include <algorithm>

namespace shelfd::sync {

asio::awaitable<Vouching::Answer> Vouching::before(Duration max_age)
{
    auto answer = co_await identity_.confirm(max_age);
    co_return heard(std::move(answer));
}

asio::awaitable<Vouching::Answer> Vouching::behind(Duration max_age, Rows rows, bool confirms)
{
    if (rows != Rows::stay) {
        if (auto unproven = co_await prove_fit(rows); unproven.trouble != Trouble::none) {
            co_return unproven;
        }
    }
    const bool is_any_page = rows == Rows::go || max_age == Duration(0);
    const auto newest = confirms || row_at_ ? std::max(row_at_, walked_at_) : std::nullopt;
    const auto since = is_any_page ? std::optional(arrived_) : newest;
    if (!since) {
        co_return co_await before(max_age);
    }
    if (!is_any_page && is_vouched_) {
        is_confirmed_ = true;
        co_return Answer();
    }
    if (others_ && !identity_.is_confirmed_after(*since)) {
        co_await others_();
    }
    auto asked = co_await identity_.confirm_after(*since);
    auto answer = heard(std::move(asked));
    is_confirmed_ = answer.trouble == Trouble::none;
    co_return answer;
}

asio::awaitable<bool> Vouching::ask_beside()
{
    const auto answer = co_await identity_.confirm_after(*row_at_);
    requests_ += answer.requests;
    is_vouched_ = answer.trouble == Trouble::none && !answer.unsure;
    co_return is_vouched_;
}

Vouching::Answer Vouching::heard(Answer answer)
{
    requests_ += answer.requests;
    had_canary_ = had_canary_ || identity_.is_possible();
    const bool is_unverified = answer.unsure && (!had_canary_ || impossible_);
    return is_unverified ? Answer() : std::move(answer);
}

// A public list also shows its public part to a dead token.
asio::awaitable<Vouching::Answer> Vouching::prove_fit(Rows rows)
{
    auto asking =
        rows == Rows::go || rows == Rows::lose_many ? identity_.prove_fit(arrived_) : identity_.prove_fit_lately();
    auto proving = co_await std::move(asking);
    requests_ += proving.requests;
    impossible_ = proving.fitness == Fitness::unfit && rows != Rows::change;
    const auto trouble = proving.fitness == Fitness::unknown ? Trouble::passing : Trouble::none;
    co_return Answer{trouble, std::move(proving.why), proving.requests, false};
}

Vouching::Rows rows_of(const mirror::ValueLoss& loss)
{
    if (loss.members) {
        return loss.many ? Vouching::Rows::lose_many : Vouching::Rows::lose;
    }
    return loss.many ? Vouching::Rows::change : Vouching::Rows::stay;
}

}  // namespace shelfd::sync
