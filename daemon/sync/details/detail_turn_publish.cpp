// The answers of a turn: confirmed by the canary, then published in batches.
#include "sync/details/detail_turn.hpp"
#include "sync/library/mirror_claim.hpp"
#include "sync/library/token_kind.hpp"
#include "sync/trouble/error_source.hpp"

#include <algorithm>
#include <utility>

namespace shelfd::sync {
namespace {

// How long an item that seems to be gone is kept if nothing shows whether the token still works.
constexpr Duration unvouched_wait = std::chrono::hours(1);
constexpr const char* unvouched = "404, but the token may be invalid: set `identity`";
constexpr const char* kept_members =
    "items lack members, whose former values stay: no list refuses a wrong token, so a revoked token may see only a "
    "part; set `identity`";

}  // namespace

Duration detail_identity_max_age(const LibraryContext& context)
{
    return is_personal(context.library, context.keeper.status()) ? Duration(0) : Duration(std::chrono::minutes(10));
}

// Items about to be dropped are kept: they belong to those that seem to be lost.
void DetailTurn::spare_gone_items(Instant retry_at, const std::string& why)
{
    for (auto* answers : {&answers_, &batch_}) {
        for (auto& answer : *answers) {
            if (answer.kind == mirror::DetailAnswer::Kind::gone) {
                answer.kind = mirror::DetailAnswer::Kind::failed;
                answer.retry_at = retry_at;
                answer.why = why;
            }
        }
    }
}

bool DetailTurn::has_gone_items(const std::vector<mirror::DetailAnswer>& answers)
{
    return std::any_of(answers.begin(), answers.end(),
                       [](const auto& answer) { return answer.kind == mirror::DetailAnswer::Kind::gone; });
}

// Answers that arrive while the canary is asked wait for its next answer.
asio::awaitable<void> DetailTurn::confirm_and_publish()
{
    batch_ = std::exchange(answers_, {});
    const auto refused_with = std::exchange(refused_with_, std::nullopt);
    const bool lose_rows = has_gone_items(batch_);
    const auto is_item = [](const auto& one) { return one.kind == mirror::DetailAnswer::Kind::item; };
    if (detail_identity_max_age(context_) > Duration(0) && std::all_of(batch_.begin(), batch_.end(), is_item)) {
        // Unchanged items show nothing new, so no canary is needed.
        auto ours = co_await claim_mirror(context_, Claim::take);
        Put put;
        if (ours.trouble == Trouble::none) {
            put = co_await publish(mirror::NewRows::withheld);
        }
        if (put.done || batch_.empty()) {
            co_return;
        }
    }
    vouching_.answer_arrived(answered_.last);
    vouching_.rows_arrived(batch_.size(), batch_.size());
    if (!co_await vouch(lose_rows ? Vouching::Rows::go : Vouching::Rows::stay)) {
        co_return;
    }
    if (refused_with && *refused_with != context_.keeper.status().generation) {
        take_back_failures();
        if (batch_.empty()) {
            co_return;
        }
    }
    if (vouching_.is_impossible()) {
        spare_gone_items(context_.clock.now() + unvouched_wait, unvouched);
    }
    const auto put = co_await publish(mirror::NewRows::published);
    if (!put.loss.any() || !co_await vouch(rows_of(put.loss))) {
        co_return;
    }
    const bool spares = put.loss.members && (vouching_.is_impossible() || !context_.identity.is_possible());
    co_await publish(mirror::NewRows::published, spares ? mirror::Losing::spared : mirror::Losing::taken);
    report_.fault = spares ? kept_members : report_.fault;
}

// The token of these answers was replaced since, perhaps because it was dead: the items are requested again.
void DetailTurn::take_back_failures()
{
    const auto is_failure = [this](const auto& answer) {
        const bool failed = answer.kind != mirror::DetailAnswer::Kind::item;
        if (failed) {
            under_way_.erase(answer.key);
        }
        return failed;
    };
    std::erase_if(batch_, is_failure);
    machine_.token_replaced();
    look_again();
}

// False if the library is not confirmed: the owner of the answers is unknown, and the items are requested again.
asio::awaitable<bool> DetailTurn::vouch(Vouching::Rows rows)
{
    auto ours = co_await vouching_.behind(detail_identity_max_age(context_), rows);
    if (ours.trouble == Trouble::none) {
        ours = co_await claim_mirror(context_, Claim::take);
    }
    if (ours.trouble != Trouble::none) {
        answers_.clear();
        batch_.clear();
        stop_for(ours.trouble, std::move(ours.why), ours.source);
    }
    co_return ours.trouble == Trouble::none;
}

// Not done if the mirror needs the canary first, or reports an error.
asio::awaitable<DetailTurn::Put> DetailTurn::publish(mirror::NewRows new_rows, mirror::Losing losing)
{
    auto answers = std::exchange(batch_, {});
    run_.new_rows = new_rows;
    run_.losing = losing;
    run_.requests = fetcher_.sent().total() - counted_;
    counted_ += run_.requests;
    auto put = [this, &answers]() -> Result<mirror::DetailOutcome> {
        SHELFD_TRY_ASSIGN(outcome, context_.mirror.put_details(resource_.name, run_, answers));
        SHELFD_TRY(context_.mirror.checkpoint_feed());
        return std::move(outcome);
    };
    const auto outcome = co_await context_.lane.run(put);
    if (!outcome) {
        stop_for(trouble_of(outcome.error()), outcome.error().text(), source_of(outcome.error()));
        co_return Put{};
    }
    if (outcome->withheld) {
        counted_ -= run_.requests;
        batch_ = std::move(answers);
        co_return Put{false, outcome->loss};
    }
    std::for_each(answers.begin(), answers.end(), [this](const auto& answer) { under_way_.erase(answer.key); });
    const auto is_new = [this](const auto& item) { return !tried_before_.contains(item.key); };
    const auto& bad = outcome->unreadable;
    machine_.items_read(outcome->added + outcome->changed + outcome->unchanged, bad.size(),
                        static_cast<std::uint64_t>(std::count_if(bad.begin(), bad.end(), is_new)));
    if (!outcome->unreadable.empty()) {
        report_.fault = outcome->unreadable.back().why;
    }
    report_.answered += answers.size();
    report_.added += outcome->added;
    board_.changed();
    co_return Put{true, {}};
}

}  // namespace shelfd::sync
