#include "sync/worker/pass_chooser.hpp"

#include "sync/trouble/scope.hpp"

#include <fmt/core.h>

#include <cstdlib>
#include <utility>

namespace shelfd::sync {
namespace {

using mirror::ParameterSupport;

constexpr Duration look_again_after = std::chrono::hours(24 * 7);

}  // namespace

PassChooser::PassChooser(LibraryContext& context, const config::Resource& resource, const Rhythm& rhythm)
    : context_(context), resource_(resource)
{
    if (rhythm.windows() != nullptr) {
        ledger_ = std::make_unique<WindowRounds>(context, resource, *rhythm.windows());
    }
    if (resource.parent) {
        list_rounds_ = std::make_unique<ListRounds>(context, resource, rhythm);
    }
}

std::optional<Instant> PassChooser::backfill_at() const
{
    return ledger_ ? ledger_->backfill_at() : list_rounds_ ? list_rounds_->backfill_at() : std::nullopt;
}

std::string PassChooser::path() const
{
    if (!list_rounds_) {
        return resource_.path;
    }
    const auto& parent = list_rounds_->outlook().parent;
    return parent.empty() ? "" : list_path(resource_, parent);
}

asio::awaitable<Result<void>> PassChooser::load()
{
    auto read = [this] { return context_.mirror.discovery(resource_.name); };
    SHELFD_CO_TRY_ASSIGN(discovery, co_await context_.lane.run(read));
    discovery_ = discovery;
    if (ledger_) {
        co_return co_await ledger_->load();
    }
    if (list_rounds_) {
        co_return co_await list_rounds_->load();
    }
    co_return Result<void>();
}

bool PassChooser::is_look_due(std::optional<Instant> last) const
{
    const auto now = context_.clock.now();
    // An instant in the future was recorded by a wrong clock.
    return !last || now - *last > look_again_after || *last > now;
}

// Without the scope, the pass itself reports that before its first request.
bool PassChooser::has_scope() const
{
    return !lacks_scope(context_.keeper.status().scope, resource_.needs);
}

// Without rows, every filter returns nothing.
bool PassChooser::must_try_filter() const
{
    const bool due = discovery_.filter == ParameterSupport::unknown || is_look_due(discovery_.filter_tried_at);
    return due && context_.clock.boot_now() >= filter_tries_.next && resource_.incremental && discovery_.changes_from &&
           discovery_.rows > 0 && !path().empty();
}

// An instant recorded by a wrong clock: earlier changes would never be requested.
bool PassChooser::is_cursor_to_come() const
{
    return discovery_.changes_from && *discovery_.changes_from > context_.clock.now();
}

bool PassChooser::is_filter_usable() const
{
    return discovery_.filter == ParameterSupport::obeyed && discovery_.changes_from && !is_cursor_to_come();
}

// Each list by parent has its own start for changes, and is walked whole until it has one.
bool PassChooser::asks_changes(Wanted wanted) const
{
    return wanted == Wanted::ordinary && resource_.incremental && is_filter_usable();
}

std::string PassChooser::why_full(Wanted wanted) const
{
    if (wanted == Wanted::full_by_person) {
        return "a person requested the whole list";
    }
    if (!resource_.incremental) {
        return "without `incremental` every pass walks the whole list";
    }
    if (!discovery_.changes_from) {
        return "no pass has been made yet from which changes could be requested";
    }
    if (is_cursor_to_come()) {
        return "changes were last requested at " + discovery_.changes_from->to_short_text() +
               ", a time in the future: a clock was wrong";
    }
    if (wanted == Wanted::full) {
        return "a pass over the whole list is due";
    }
    switch (discovery_.filter) {
    case ParameterSupport::ignored: return "the service ignores the filter " + resource_.incremental->param;
    case ParameterSupport::refused: return "the service refuses the filter " + resource_.incremental->param;
    case ParameterSupport::incomplete:
        return fmt::format("the filter {} missed a change", resource_.incremental->param);
    case ParameterSupport::undated:
        return fmt::format("no date in {} shows what the filter {} leaves out", resource_.incremental->field,
                           resource_.incremental->param);
    case ParameterSupport::unknown:
    case ParameterSupport::obeyed: return "whether the filter works is not known yet";
    }
    std::abort();
}

// Filters usually work.
bool PassChooser::hopes_for_changes(Wanted wanted) const
{
    return must_try_filter() && wanted == Wanted::ordinary && !is_cursor_to_come();
}

PassForecast PassChooser::forecast(Wish wish) const
{
    PassForecast forecast;
    const bool changes = asks_changes(wish.wanted);
    if (ledger_) {
        const auto round = choose_windows(wish);
        forecast.kind = round.passes.front().kind;
        forecast.requests = round.passes.size();
        return forecast;
    }
    forecast.tries_filter = must_try_filter();
    if (list_rounds_) {
        const auto& outlook = list_rounds_->outlook();
        forecast.kind = changes ? PassKind::incremental : PassKind::full;
        forecast.requests = changes ? outlook.lists : outlook.requests;
        return forecast;
    }
    forecast.kind = changes || hopes_for_changes(wish.wanted) ? PassKind::incremental : PassKind::full;
    return forecast;
}

PassPreview PassChooser::preview(Wish wish) const
{
    PassPreview preview{forecast(wish), "", ""};
    const auto wanted = wish.wanted;
    PassPlan plan;
    if (ledger_) {
        const auto round = choose_windows(wish);
        plan = round.passes.front();
        preview.why = fmt::format("{} window{}, the newest first: {}", round.passes.size(),
                                  round.passes.size() == 1 ? "" : "s", plan.slice->name);
    } else if (list_rounds_) {
        const auto& outlook = list_rounds_->outlook();
        preview.why =
            fmt::format("{} list{}, one for each row of {}{}: {}", outlook.lists, outlook.lists == 1 ? "" : "s",
                        resource_.parent->resource,
                        outlook.never_asked > 0 ? fmt::format(", {} of them never walked", outlook.never_asked) : "",
                        asks_changes(wanted) ? "what changed in each" : why_full(wanted));
        if (outlook.parent.empty()) {
            return preview;
        }
        plan = plan_list(context_.library, resource_, discovery_, {outlook.parent});
    } else if (preview.kind == PassKind::incremental) {
        plan = plan_incremental(context_.library, resource_, discovery_);
        preview.why = fmt::format("what changed since {}{}", discovery_.changes_from->to_short_text(),
                                  is_filter_usable() ? "" : ", if the filter works; else the whole list");
    } else {
        plan = plan_full(context_.library, resource_, discovery_);
        preview.why = why_full(wanted);
    }
    preview.target = plan.path + (plan.first_query.empty() ? "" : "?" + plan.first_query);
    return preview;
}

asio::awaitable<Round> PassChooser::choose_lists(Wish wish)
{
    using Kind = ListRounds::Kind;
    const auto kind = wish.wanted == Wanted::backfill ? Kind::backfill
                      : asks_changes(wish.wanted)     ? Kind::changes
                                                      : Kind::whole;
    auto round = co_await list_rounds_->prepare(kind, wish.anew);
    round.line.purpose = kind == Kind::changes ? budget::Purpose::incremental : budget::Purpose::full;
    round.spent = spent_;
    round.by_parent->discovery = discovery_;
    round.by_parent->proves_at_once = wish.anew && kind != Kind::backfill;
    if (wish.wanted == Wanted::full_by_person) {
        round.by_parent->discovery.envelope.reset();
        round.by_parent->discovery.further = Further::unknown;
    }
    co_return round;
}

Round PassChooser::choose_windows(Wish wish) const
{
    const bool person = wish.wanted == Wanted::full_by_person;
    auto round = person                            ? ledger_->walked_again(discovery_, wish.range)
                 : wish.wanted == Wanted::backfill ? ledger_->backfill(discovery_)
                                                   : std::nullopt;
    auto chosen = round ? std::move(*round) : ledger_->recent(discovery_);
    chosen.passes.front().spent = spent_;
    chosen.passes.front().fault = window_fault_;
    return chosen;
}

asio::awaitable<Round> PassChooser::choose(Wish wish)
{
    spent_ = std::exchange(spent_behind_, {});
    if (is_look_due(discovery_.looked_at)) {
        discovery_.ordering = ParameterSupport::unknown;
        if (ledger_ && has_scope() && context_.clock.boot_now() >= look_tries_.next) {
            co_await inspect_rows();
        }
    }
    if (has_scope() && must_try_filter()) {
        co_await try_filter();
    }
    Round round;
    if (list_rounds_) {
        round = co_await choose_lists(wish);
    } else {
        round = ledger_ ? choose_windows(wish) : choose_whole(wish);
    }
    if (wish.wanted == Wanted::full_by_person) {
        for (auto& pass : round.passes) {
            *pass.end_habit = {};
            pass.envelope.reset();  // a person wants the list whatever kind of answer comes
        }
    }
    co_return round;
}

Round PassChooser::choose_whole(Wish wish) const
{
    Round round;
    round.passes.push_back(choose_pass(wish));
    const bool incremental = round.passes.front().kind == PassKind::incremental;
    round.line.purpose = incremental ? budget::Purpose::incremental : budget::Purpose::full;
    return round;
}

PassPlan PassChooser::whole_plan() const
{
    auto known = discovery_;
    if (is_look_due(known.looked_at)) {
        known.ordering = ParameterSupport::unknown;
    }
    return plan_full(context_.library, resource_, known);
}

PassPlan PassChooser::choose_pass(Wish wish) const
{
    const bool changes = asks_changes(wish.wanted);
    auto plan = changes ? plan_incremental(context_.library, resource_, discovery_)
                        : plan_full(context_.library, resource_, discovery_);
    // After an unproven incremental pass, the next one requests the same changes and more.
    plan.repeats = changes || wish.repeats;
    plan.previous_as_of = walked_as_of_;
    plan.clock = clock_;
    if (changes) {
        plan.previous_key_set = changes_met_;
        plan.whole_query = whole_plan().first_query;
    }
    plan.spent = spent_;
    return plan;
}

}  // namespace shelfd::sync
