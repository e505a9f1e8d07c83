// What people, and the table whose rows name its lists, want of a table; what the next pass would be.
#include "sync/worker/resource_worker.hpp"

#include "sync/trouble/blocked.hpp"
#include "sync/trouble/scope.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace shelfd::sync {

std::uint64_t ResourceWorker::request_pass(Wish wish)
{
    const auto before = wishes_.add(wish);
    wake_.notify_all();
    context_.turns.reconsider();
    context_.gate->reconsider(context_.seat);
    // A pass under way began before the request, so the one after it counts.
    return report_.passes_ended + (is_busy() ? 2U : 1U) + static_cast<std::uint64_t>(before);
}

WalkTurns::Claim ResourceWorker::claim() const
{
    const auto wish = planner_.wanted(wishes_.next());
    const auto next = forecast(wish);
    WalkTurns::Claim claim;
    claim.is_wished = !wishes_.empty();
    claim.is_first_load = !report_.summary.as_of;
    claim.pages = next.requests.value_or(0);
    const bool keeps_fresh =
        next.kind == PassKind::incremental || (next.kind == PassKind::window && wish.wanted == Wanted::ordinary);
    claim.kind = keeps_fresh                                                        ? WalkTurns::Kind::changes
                 : planner_.has_cut_walk() || claim.pages > WalkTurns::max_of_brief ? WalkTurns::Kind::lengthy
                                                                                    : WalkTurns::Kind::brief;
    return claim;
}

Wish ResourceWorker::as_due(Wish wish) const
{
    const bool has_windows = planner_.rhythm().windows() != nullptr;
    const bool whole = !has_windows && wish.wanted == Wanted::ordinary && planner_.is_full_due();
    return has_windows ? wish : Wish{whole ? Wanted::full : wish.wanted};
}

PassForecast ResourceWorker::forecast(const Wish& wish) const
{
    auto forecast = chooser_.forecast(as_due(wish));
    if (chooser_.is_sliced()) {
        return forecast;
    }
    const auto& last = report_.last_pass;
    const auto& summary = report_.summary;
    if (last && last->kind == forecast.kind && last->published) {
        forecast.requests =
            last->requests() - last->spent.of(budget::Reason::filter_try) - last->spent.of(budget::Reason::end_try);
    } else if (forecast.kind == PassKind::incremental) {
        forecast.requests = 1;
    } else if (summary.as_of) {
        const auto pages = (summary.rows + context_.library.service.page_size - 1) / context_.library.service.page_size;
        forecast.requests = pages <= 1 ? 1 : pages + 1;
    }
    return forecast;
}

PassPreview ResourceWorker::preview(Wish wish) const
{
    auto preview = chooser_.preview(as_due(wish));
    preview.requests = forecast(wish).requests;
    return preview;
}

Result<TimeRange> ResourceWorker::time_range(const std::string& from, const std::string& to) const
{
    const auto* windows = planner_.rhythm().windows();
    if (windows == nullptr) {
        return Error(ErrorKind::usage, fmt::format("{} is not walked in windows: it has no `window` in the "
                                                   "configuration; --full walks all of it",
                                                   resource_.name));
    }
    return range_of(windows->windows(), from, to, context_.clock.now());
}

void ResourceWorker::follow(ResourceWorker& parent)
{
    parent_ = &parent;
    parent.followers_.push_back(this);
}

// A ledger loads its history for hours: its older windows bring rows one by one, and lists of these rows do not wait.
bool ResourceWorker::is_about_to_pass() const
{
    if (planner_.rhythm().windows() != nullptr && wishes_.empty() && !planner_.is_ordinary_due()) {
        return stage_ == Stage::choosing || stage_ == Stage::fresh;
    }
    return is_busy() || is_pass_wanted();
}

asio::awaitable<void> ResourceWorker::await_parent()
{
    while (parent_ != nullptr && parent_->is_about_to_pass()) {
        co_await parent_->ended_.wait();
    }
}

void ResourceWorker::parent_changed()
{
    parent_changed_ = true;
    wake_now();
}

void ResourceWorker::notify_followers(const PassReport& pass)
{
    if (!pass.published) {
        return;
    }
    const auto key = resource_.row_key();
    for (auto* follower : followers_) {
        const auto& names = follower->resource_.parent->key;
        // A row's key members cannot change.
        const bool may_change = std::find(key.begin(), key.end(), names) == key.end();
        if (pass.published->added + pass.published->deleted + (may_change ? pass.published->changed : 0) > 0) {
            follower->parent_changed();
        }
    }
}

// Reports a slow round before the table is late because of it. That lists are not proven is the graver news.
void ResourceWorker::record_slow_round(PassReport& pass) const
{
    const auto took = pass.ended - pass.started;
    const bool is_slow = took > planner_.rhythm().distance_after(pass.started);
    const bool has_news = !pass.remark.empty() || (!chooser_.filter_trouble() && !chooser_.warning().empty());
    if (chooser_.has_parent() && pass.published && !has_news && is_slow) {
        pass.remark =
            fmt::format("a round over all lists took {}, longer than `every`: set a longer `every`, or a higher limit",
                        describe_duration(took));
    }
}

void ResourceWorker::refill()
{
    planner_.require_refill();
    wake_now();
}

void ResourceWorker::plan_now()
{
    planner_.plan_now();
    report_.next_due = planner_.due();
}

// No effect during a pass, which checks at its end what has happened meanwhile.
void ResourceWorker::wake_now()
{
    if (!is_busy()) {
        plan_now();
        wake_.notify_all();
    }
}

void ResourceWorker::wake_if_blocked()
{
    set_arrived_ = true;
    const bool lacks = lacks_scope(context_.keeper.status().scope, resource_.needs);
    const bool is_waiting = lacks || report_.trouble != Trouble::none || is_blocked(report_.summary.state);
    if (!is_busy() && report_.summary.state == TableState::needs_person && context_.keeper.status().access_usable) {
        forget_request(report_, report_.summary);
    }
    if (is_waiting) {
        wake_now();
    }
}

}  // namespace shelfd::sync
