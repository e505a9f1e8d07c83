#include "sync/library/canary_choice.hpp"

#include "sync/library/service_request.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace shelfd::sync {
namespace {

constexpr Duration try_again_after = std::chrono::hours(24 * 7);
// If no list is fit and rows are about to be deleted: a change is then noticed, at one request for each list.
constexpr Duration look_again_after = std::chrono::hours(24);

bool says_nothing(oauth::CanaryAnswer answer)
{
    return answer == oauth::CanaryAnswer::unreachable || answer == oauth::CanaryAnswer::throttled;
}

}  // namespace

Fitness fitness_of(const oauth::CanaryReading& to_wrong)
{
    if (to_wrong.misconfigured) {
        return Fitness::unfit;
    }
    if (says_nothing(to_wrong.answer)) {
        return Fitness::unknown;
    }
    return refuses(to_wrong.answer) ? Fitness::fit : Fitness::unfit;
}

asio::awaitable<Result<void>> CanaryChoice::load()
{
    auto read = [this] { return context_.mirror.canaries(); };
    SHELFD_CO_TRY_ASSIGN(known, co_await context_.lane.run(read));
    for (const auto& one : known) {
        tried_at_ = std::max(tried_at_.value_or(one.tried_at), one.tried_at);
        if (const auto* list = find(one.resource); list != nullptr && one.tells) {
            use(*list);
        }
    }
    co_return Result<void>();
}

const config::Resource* CanaryChoice::find(const std::string& name) const
{
    const auto& all = context_.library.resources;
    const auto found =
        std::find_if(all.begin(), all.end(), [&name](const auto& one) { return one.name == name && !one.parent; });
    return found == all.end() ? nullptr : &*found;
}

bool CanaryChoice::is_due() const
{
    const auto now = context_.clock.now();
    // The lists that refused our token may have done so because it was dead.
    if (fit_ == nullptr && tried_with_ != context_.keeper.status().generation) {
        return true;
    }
    return !tried_at_ || *tried_at_ > now || now - *tried_at_ > try_again_after;
}

void CanaryChoice::use(const config::Resource& list)
{
    fit_ = &list;
    tried_with_ = 0;
    context_.keeper.set_canary(spec_of_(list));
}

void CanaryChoice::forget()
{
    fit_ = nullptr;
    tried_at_.reset();
}

asio::awaitable<void> CanaryChoice::choose(budget::Tally& spent)
{
    const auto turn = co_await choosing_.lock();
    if (is_due() && context_.keeper.status().access_usable) {
        co_await look(spent);
    }
}

asio::awaitable<Fitness> CanaryChoice::prove(budget::Tally& spent)
{
    const auto turn = co_await choosing_.lock();
    if (fit_ == nullptr) {
        const bool tried_lately = tried_at_ && *tried_at_ <= context_.clock.now() &&
                                  context_.clock.now() - *tried_at_ < look_again_after &&
                                  tried_with_ == context_.keeper.status().generation;
        if (tried_lately) {
            co_return Fitness::unfit;
        }
    } else {
        const auto fitness = co_await try_wrong_token(*fit_, spent);
        if (fitness != Fitness::unfit) {
            co_return fitness;
        }
        co_await note(*fit_, fitness);
    }
    forget();
    co_await look(spent);
    co_return fit_ != nullptr ? Fitness::fit : tried_at_ ? Fitness::unfit : Fitness::unknown;
}

asio::awaitable<void> CanaryChoice::look(budget::Tally& spent)
{
    // The list that was fit is tried first; usually that is the first list.
    std::vector<const config::Resource*> lists;
    for (const auto& one : context_.library.resources) {
        if (!one.parent) {
            lists.insert(&one == fit_ ? lists.begin() : lists.end(), &one);
        }
    }
    for (const auto* list : lists) {
        const auto fitness = co_await try_list(*list, spent);
        if (fitness == Fitness::unknown) {
            co_return;  // what is known remains; the next pass tries again
        }
        co_await note(*list, fitness);
        if (fitness == Fitness::fit) {
            use(*list);
            break;
        }
        fit_ = fit_ == list ? nullptr : fit_;
    }
    tried_at_ = context_.clock.now();
    if (fit_ == nullptr) {
        tried_with_ = context_.keeper.status().generation;
        context_.log.warning(fmt::format("{}: no list tells a valid token from a wrong one, so a revoked token may see "
                                         "only a part of a list unnoticed; set `identity` of the service",
                                         context_.library.name),
                             {{"library", context_.library.name}});
    }
}

asio::awaitable<Fitness> CanaryChoice::try_wrong_token(const config::Resource& list, budget::Tally& spent)
{
    const auto to_wrong = co_await context_.keeper.ask_other(spec_of_(list), Secret(std::string(oauth::wrong_token)));
    spent.count(budget::Reason::canary, 1);
    co_return fitness_of(to_wrong);
}

asio::awaitable<Fitness> CanaryChoice::try_list(const config::Resource& list, budget::Tally& spent)
{
    if (const auto fitness = co_await try_wrong_token(list, spent); fitness != Fitness::fit) {
        co_return fitness;
    }
    const auto spec = spec_of_(list);
    const auto token = co_await context_.keeper.access();
    if (!token) {
        co_return Fitness::unknown;
    }
    auto to_ours = co_await context_.keeper.ask_other(spec, token->token->clone());
    spent.count(budget::Reason::canary, 1);
    if (refuses(to_ours.answer)) {
        // Where the list accepted it before, the token is dead.
        auto refuser = co_await refuser_of(
            context_, list.name, spec.url.substr(context_.library.service.base_url.size()), token->generation);
        if (!refuser) {
            co_return Fitness::unfit;
        }
        const auto renewed = co_await context_.keeper.reject(token->generation, "", std::move(refuser));
        if (!renewed) {
            co_return Fitness::unknown;
        }
        if (renewed->generation == token->generation) {
            co_return Fitness::unfit;
        }
        to_ours = co_await context_.keeper.ask_other(spec, renewed->token->clone());
        spent.count(budget::Reason::canary, 1);
    }
    if (says_nothing(to_ours.answer) && !to_ours.misconfigured) {
        co_return Fitness::unknown;
    }
    co_return accepts(to_ours.answer) ? Fitness::fit : Fitness::unfit;
}

asio::awaitable<void> CanaryChoice::note(const config::Resource& list, Fitness fitness)
{
    const mirror::CanaryFitness noted_as{list.name, fitness == Fitness::fit, context_.clock.now()};
    auto write = [this, &noted_as] { return context_.mirror.record_canary(noted_as); };
    if (const auto noted = co_await context_.lane.run(write); !noted) {
        context_.log.debug("cannot record what was learned: " + noted.error().text(),
                           {{"library", context_.library.name}, {"resource", list.name}});
    }
}

}  // namespace shelfd::sync
