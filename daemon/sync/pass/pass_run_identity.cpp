// The canary and the token of a pass.
#include "sync/library/mirror_claim.hpp"
#include "sync/library/service_request.hpp"
#include "sync/library/token_kind.hpp"
#include "sync/pass/pass_run.hpp"

#include <utility>

namespace shelfd::sync {

// Requests page 1 while the canary is asked: that saves a round trip. Nobody looks at the page until the canary has
// confirmed the library; after any other answer, and with another token, it is requested again.
asio::awaitable<void> PassRun::fetch_beside_canary()
{
    const auto set = context_.keeper.status();
    if (asked_early_ || plan_.failed_before || is_personal(context_.library, set) || !context_.identity.is_in_order()) {
        co_return;
    }
    auto look = [this] { return staged_.has_pages(); };
    if (co_await context_.lane.run(look)) {
        co_return;
    }
    fetched_beside_ = true;
    fetcher_.fetch_now(plan_.first_query);
}

asio::awaitable<PassAction> PassRun::ask_identity()
{
    board_.enter(Phase::identity);
    const bool is_behind = machine_.state() == PassState::confirming;
    const bool would_delete = is_behind && staged_.lacks_rows();
    Result<Vouching::Rows> rows = Vouching::Rows::stay;
    if (is_behind) {
        rows = co_await weigh_loss();
    }
    if (!rows) {
        co_return fail_with(rows.error());
    }
    const auto max_age = identity_max_age(is_personal(context_.library, context_.keeper.status()), plan_.kind);
    auto asking = is_behind ? vouching_.behind(max_age, *rows) : vouching_.before(max_age);
    auto answer = co_await std::move(asking);
    if (fetched_beside_ && answer.trouble != Trouble::none) {
        fetcher_.fetch_ahead({});
        fetched_beside_ = false;
    }
    if (answer.unsure) {
        report_.lost_canary = true;
        co_return walk_again(std::move(answer.why));
    }
    if (answer.trouble == Trouble::none) {
        answer = co_await claim_mirror(context_, Claim::look);
    }
    last_trouble_ = {answer.why, answer.source};
    if (answer.trouble == Trouble::none && would_delete && token_.was_replaced(context_.keeper.status().generation)) {
        co_return walk_again("rows are missing from a list whose token was replaced during the walk, perhaps because "
                             "it was invalid: the list is walked again");
    }
    switch (answer.trouble) {
    case Trouble::none: co_return resume(PassEvent::identity_ours);
    case Trouble::passing: co_return resume(PassEvent::passing_trouble);
    default:
        if (answer.trouble == Trouble::needs_person && context_.keeper.status().access_usable) {
            report_.instead = PassReport::Instead::denial;
        }
        co_return fail(answer.trouble, std::move(answer.why), answer.source);
    }
}

asio::awaitable<PassAction> PassRun::renew_token()
{
    auto first_page = plan_.path + (plan_.first_query.empty() ? "" : "?" + plan_.first_query);
    auto refuser = co_await refuser_of(context_, resource_.name, std::move(first_page), token_.generation());
    const auto token = co_await context_.keeper.reject(token_.generation(), token_.challenge(), std::move(refuser));
    if (!token && token.error().kind() == ErrorKind::refused && token_.wait()) {
        co_return co_await wait_until_open(*token_.wait());
    }
    if (!token) {
        co_return trouble_with_token(token.error());
    }
    token_.renewed(token->generation);
    co_return resume(PassEvent::token_renewed);
}

}  // namespace shelfd::sync
