#include "sync/canary_choice.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace shelfd::sync {
namespace {

constexpr Duration try_again_after = std::chrono::hours(24 * 7);

}  // namespace

asio::awaitable<Result<void>> CanaryChoice::load()
{
    auto read = [this] { return context_.mirror.canaries(); };
    const auto known = co_await context_.lane.run(read);
    if (!known) {
        co_return known.error();
    }
    for (const auto& one : *known) {
        tried_at_ = std::max(tried_at_.value_or(one.tried_at), one.tried_at);
        if (const auto* list = find(one.resource); list != nullptr && one.refuses) {
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
    return !tried_at_ || *tried_at_ > now || now - *tried_at_ > try_again_after;
}

void CanaryChoice::use(const config::Resource& list)
{
    fit_ = &list;
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
    if (!is_due() || !context_.keeper.status().access_usable) {
        co_return;
    }
    // What was fit is asked first; as a rule the first list is.
    std::vector<const config::Resource*> lists;
    for (const auto& one : context_.library.resources) {
        if (!one.parent) {
            lists.insert(&one == fit_ ? lists.begin() : lists.end(), &one);
        }
    }
    for (const auto* list : lists) {
        const auto answer = (co_await context_.keeper.ask_with_wrong_token(spec_of_(*list))).answer;
        spent.count(budget::Reason::canary, 1);
        if (answer == oauth::CanaryAnswer::unreachable || answer == oauth::CanaryAnswer::throttled) {
            co_return;  // what is known stays; the next pass tries again
        }
        co_await note(*list, refuses(answer));
        if (refuses(answer)) {
            use(*list);
            break;
        }
        fit_ = fit_ == list ? nullptr : fit_;
    }
    tried_at_ = context_.clock.now();
    if (fit_ == nullptr) {
        context_.log.warning(
            fmt::format("{}: no list refuses a wrong token, so nothing tells whether an answer is that "
                        "to a token that works; `identity` of the service would",
                        context_.library.name),
            {{"library", context_.library.name}});
    }
}

asio::awaitable<void> CanaryChoice::note(const config::Resource& list, bool refuses)
{
    const mirror::CanaryFitness fitness{list.name, refuses, context_.clock.now()};
    auto write = [this, &fitness] { return context_.mirror.note_canary(fitness); };
    if (const auto noted = co_await context_.lane.run(write); !noted) {
        context_.log.debug("cannot keep what was learned: " + noted.error().text(),
                           {{"library", context_.library.name}, {"resource", list.name}});
    }
}

}  // namespace shelfd::sync
