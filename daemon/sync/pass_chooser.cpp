#include "sync/pass_chooser.hpp"

#include "sync/answer.hpp"
#include "sync/page_fetcher.hpp"

#include <fmt/core.h>

namespace shelfd::sync {
namespace {

constexpr Duration look_again_after = std::chrono::hours(24 * 7);
// No row was changed later than that.
constexpr Duration far_future = std::chrono::hours(24 * 3650);

// "" where the answer says nothing about the filter. In the lane: a filter that is ignored may bring many rows.
std::string read_verdict(std::string& body, config::Answers answers)
{
    const auto page = read_page(body, answers);
    if (!page) {
        return "";
    }
    const bool empty = page->count ? *page->count == 0 : page->results.find('{') == std::string_view::npos;
    return empty ? "effective" : "ignored";
}

}  // namespace

PassChooser::PassChooser(LibraryContext& context, const config::Resource& resource,
                         const std::optional<WindowPlan>& windows, Duration pace)
    : context_(context), resource_(resource)
{
    if (windows) {
        ledger_.emplace(context, resource, *windows);
    }
    if (resource.parent) {
        children_.emplace(context, resource, pace);
    }
}

std::optional<Instant> PassChooser::rest_at() const
{
    return ledger_ ? ledger_->rest_at() : children_ ? children_->rest_at() : std::nullopt;
}

std::string PassChooser::path() const
{
    if (!children_) {
        return resource_.path;
    }
    const auto& parent = children_->outlook().parent;
    return parent.empty() ? "" : list_path(resource_, parent);
}

asio::awaitable<Result<void>> PassChooser::load()
{
    auto read = [this] { return context_.mirror.discovery(resource_.name); };
    auto discovery = co_await context_.lane.run(read);
    if (!discovery) {
        co_return discovery.error();
    }
    discovery_ = std::move(*discovery);
    if (ledger_) {
        co_return co_await ledger_->load();
    }
    if (children_) {
        co_return co_await children_->load();
    }
    co_return Result<void>();
}

bool PassChooser::is_look_due(std::optional<Instant> last) const
{
    const auto now = context_.clock.now();
    // A look in the future was made by a clock that was wrong.
    return !last || now - *last > look_again_after || *last > now;
}

// Where there are no rows, every filter leaves nothing.
bool PassChooser::must_try_filter() const
{
    const bool due = discovery_.filter.empty() || is_look_due(discovery_.filter_tried_at);
    return due && resource_.incremental && discovery_.changes_from && discovery_.rows > 0 && !path().empty();
}

// Written down by a clock that was wrong: what changed before it would never be asked for.
bool PassChooser::is_cursor_to_come() const
{
    return discovery_.changes_from && *discovery_.changes_from > context_.clock.now();
}

bool PassChooser::is_filter_usable() const
{
    return discovery_.filter == "effective" && discovery_.changes_from && !is_cursor_to_come();
}

// Each list by parent has a cursor of its own, and is walked whole until it has one.
bool PassChooser::asks_changes(Wanted wanted) const
{
    return wanted == Wanted::ordinary && resource_.incremental && is_filter_usable();
}

std::string PassChooser::why_full(Wanted wanted) const
{
    if (wanted == Wanted::full_by_person) {
        return "the whole list was asked for";
    }
    if (!resource_.incremental) {
        return "without `incremental` every pass walks the whole list";
    }
    if (!discovery_.changes_from) {
        return "nothing was read yet that changes could be asked since";
    }
    if (is_cursor_to_come()) {
        return "changes were last asked for at " + discovery_.changes_from->to_short_text() +
               ", a time that has not come yet: a clock was wrong";
    }
    return wanted == Wanted::full           ? "a pass over the whole list is due"
           : discovery_.filter == "ignored" ? "the service ignores the filter " + resource_.incremental->param
           : discovery_.filter == "refused" ? "the service refuses the filter " + resource_.incremental->param
                                            : "whether the filter works is not known yet";
}

PassPreview PassChooser::preview(Wish wish) const
{
    PassPreview preview;
    const auto wanted = wish.wanted;
    if (ledger_) {
        const auto round = choose_windows(wish);
        const auto& first = round.passes.front();
        preview.kind = first.kind;
        preview.target = first.path + "?" + first.first_query;
        preview.why = fmt::format("{} window{}, the newest first: {}", round.passes.size(),
                                  round.passes.size() == 1 ? "" : "s", first.slice->name);
        preview.requests = round.passes.size();
        return preview;
    }
    if (children_) {
        return preview_lists(wanted);
    }
    preview.tries_filter = must_try_filter();
    PassPlan plan;
    if (asks_changes(wanted)) {
        plan = plan_incremental(context_.library, resource_, discovery_);
        preview.why = "what changed since " + discovery_.changes_from->to_short_text();
    } else {
        plan = plan_full(context_.library, resource_, discovery_);
        preview.why = why_full(wanted);
    }
    preview.kind = plan.kind;
    preview.target = plan.path + (plan.first_query.empty() ? "" : "?" + plan.first_query);
    return preview;
}

PassPreview PassChooser::preview_lists(Wanted wanted) const
{
    const auto& outlook = children_->outlook();
    const bool changes = asks_changes(wanted);
    PassPreview preview;
    preview.tries_filter = must_try_filter();
    preview.kind = changes ? PassKind::incremental : PassKind::full;
    preview.why = fmt::format("{} list{}, one for each row of {}{}: {}", outlook.lists, outlook.lists == 1 ? "" : "s",
                              resource_.parent->resource,
                              outlook.unasked > 0 ? fmt::format(", {} of them never walked", outlook.unasked) : "",
                              changes ? "what changed in each" : why_full(wanted));
    if (!outlook.parent.empty()) {
        const auto plan = plan_child(context_.library, resource_, discovery_, {outlook.parent});
        preview.target = plan.path + (plan.first_query.empty() ? "" : "?" + plan.first_query);
    }
    preview.requests = changes ? outlook.lists : outlook.requests;
    return preview;
}

asio::awaitable<Round> PassChooser::choose_lists(Wish wish)
{
    using Kind = ChildRounds::Kind;
    const auto kind = wish.wanted == Wanted::rest ? Kind::rest
                      : asks_changes(wish.wanted) ? Kind::changes
                                                  : Kind::whole;
    auto round = co_await children_->prepare(kind, wish.anew);
    round.purpose = kind == Kind::changes ? budget::Purpose::incremental : budget::Purpose::full;
    round.spent = spent_;
    round.children->discovery = discovery_;
    if (wish.wanted == Wanted::full_by_person) {
        round.children->discovery.envelope.clear();
    }
    co_return round;
}

Round PassChooser::choose_windows(Wish wish) const
{
    const bool person = wish.wanted == Wanted::full_by_person;
    auto round = person                        ? ledger_->walked_again(discovery_, wish.range)
                 : wish.wanted == Wanted::rest ? ledger_->rest(discovery_)
                                               : std::nullopt;
    return round ? std::move(*round) : ledger_->recent(discovery_);
}

asio::awaitable<Round> PassChooser::choose(Wish wish)
{
    spent_ = {};
    if (is_look_due(discovery_.looked_at)) {
        discovery_.ordering.clear();
        if (ledger_) {
            co_await look_at_rows();
        }
    }
    if (must_try_filter()) {
        co_await try_filter();
    }
    if (ledger_) {
        auto round = choose_windows(wish);
        round.passes.front().spent = spent_;
        round.passes.front().fault = window_fault_;
        co_return round;
    }
    if (children_) {
        co_return co_await choose_lists(wish);
    }
    Round round;
    round.passes.push_back(choose_pass(wish.wanted));
    const bool incremental = round.passes.front().kind == PassKind::incremental;
    round.purpose = incremental ? budget::Purpose::incremental : budget::Purpose::full;
    co_return round;
}

PassPlan PassChooser::whole_plan() const
{
    auto known = discovery_;
    if (is_look_due(known.looked_at)) {
        known.ordering.clear();
    }
    return plan_full(context_.library, resource_, known);
}

PassPlan PassChooser::choose_pass(Wanted wanted) const
{
    auto plan = asks_changes(wanted) ? plan_incremental(context_.library, resource_, discovery_)
                                     : plan_full(context_.library, resource_, discovery_);
    plan.spent = spent_;
    if (wanted == Wanted::full_by_person) {
        plan.envelope.reset();
    }
    return plan;
}

asio::awaitable<void> PassChooser::look_at_rows()
{
    auto look = co_await ledger_->look_at_rows(discovery_, spent_);
    window_fault_ = std::move(look.fault);
    if (look.form.empty() || !window_fault_.empty()) {
        co_return;  // looked for again with the next pass
    }
    discovery_.place_form = std::move(look.form);
    discovery_.looked_at = context_.clock.now();
    co_await save();
}

asio::awaitable<void> PassChooser::try_filter()
{
    PageFetcher fetcher(context_, resource_, path(), budget::Purpose::incremental);
    auto query = filter_query(context_.library, resource_, discovery_, context_.clock.now() + far_future);
    auto fetched = co_await fetcher.fetch(std::move(query), budget::Reason::filter_try);
    spent_.add(fetcher.sent());
    if (fetched.no_token) {
        co_return;
    }
    const auto kind = classify(fetched.outcome).kind;
    std::string verdict;
    if (kind == AnswerKind::page) {
        auto read = [&] { return read_verdict(fetched.outcome->body, resource_.answers); };
        verdict = co_await context_.lane.run(read);
    } else if (kind == AnswerKind::bad_request) {
        verdict = "refused";
    }
    if (verdict.empty()) {
        co_return;  // what is known stays; the pass meets the same trouble, and deals with it
    }
    discovery_.filter = verdict;
    discovery_.filter_tried_at = context_.clock.now();
    co_await save();
    warn("");
}

asio::awaitable<void> PassChooser::learn(const PassReport& pass)
{
    if (children_) {
        children_->learn(pass);
    } else if (ledger_) {
        ledger_->learn(pass);
    }
    if (pass.known) {
        discovery_ = *pass.known;
    } else if (pass.published || children_) {
        if (const auto loaded = co_await load(); !loaded) {
            co_return;  // the next pass meets the same disk, and reports it
        }
    }
    auto learned = discovery_;
    if (pass.published && !pass.learned.envelope.empty()) {
        learned.envelope = pass.learned.envelope;
    }
    if (!pass.learned.ordering.empty()) {
        learned.ordering = pass.learned.ordering;
        if (is_look_due(discovery_.looked_at)) {
            learned.looked_at = pass.started;
        }
    }
    const bool disobeyed = !pass.learned.unasked.empty();
    if (disobeyed) {
        learned.filter = "ignored";
        learned.filter_tried_at = context_.clock.now();
    }
    if (learned != discovery_) {
        discovery_ = std::move(learned);
        co_await save();
    }
    if (disobeyed) {
        warn(fmt::format("a row came whose {} is {}, though only later changes were asked for: ",
                         resource_.incremental->field, pass.learned.unasked));
    }
}

void PassChooser::warn(const std::string& seen) const
{
    if (const auto text = warning(); !text.empty()) {
        context_.log.warning(fmt::format("{} of {}: {}{}", resource_.name, context_.library.name, seen, text),
                             {{"library", context_.library.name}, {"resource", resource_.name}});
    }
}

asio::awaitable<void> PassChooser::save()
{
    auto write = [this] { return context_.mirror.set_discovery(resource_.name, discovery_); };
    if (const auto saved = co_await context_.lane.run(write); !saved) {
        context_.log.debug("cannot keep what was learned: " + saved.error().text(),
                           {{"library", context_.library.name}, {"resource", resource_.name}});
    }
}

std::string PassChooser::warning() const
{
    if (!resource_.incremental || discovery_.filter.empty() || discovery_.filter == "effective") {
        return "";
    }
    return fmt::format("the service {} the filter {}, so every pass walks the whole list; correct `incremental`, or "
                       "drop it",
                       discovery_.filter == "ignored" ? "ignores" : "refuses", resource_.incremental->param);
}

}  // namespace shelfd::sync
