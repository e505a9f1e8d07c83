// What must be known before the rows of a pass become visible, and its end: they do, or its failure is recorded.
#include "sync/library/mirror_claim.hpp"
#include "sync/library/token_kind.hpp"
#include "sync/pass/pass_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace shelfd::sync {
namespace {

// When the last pass began, also if no canary answered after it, less the longest time that its answer may have taken.
std::optional<Instant> last_asked(LibraryContext& context, const std::string& resource)
{
    constexpr Duration longest_answer = std::chrono::minutes(1);
    const auto summary = context.mirror.summary(resource);
    return summary && *summary && (*summary)->as_of ? std::optional(*(*summary)->as_of - longest_answer) : std::nullopt;
}

// In the lane, before a pass over a whole list with incremental passes is published; for lists by parent, each list has
// its own state. (Ledgers have no incremental passes: the configuration refuses the combination. Computed members
// change without the row's date and do not concern the filter.)
std::optional<UnbroughtSearch> search_unbrought(LibraryContext& context, const config::Resource& resource,
                                                const PassPlan& plan, const std::string& run_id)
{
    if (plan.kind != PassKind::full || !resource.incremental) {
        return std::nullopt;
    }
    const auto known = context.mirror.discovery(resource.name);
    if (!known || known->filter != mirror::ParameterSupport::obeyed) {
        return std::nullopt;
    }
    auto asked = plan.slice ? plan.changes_from : known->changes_from;
    if (asked && !plan.slice) {
        asked = std::max(*asked, last_asked(context, resource.name).value_or(*asked));
    }
    const auto runs = plan.slice ? Result<std::optional<Instant>>(plan.whole_at)
                                 : context.mirror.last_whole_run(resource.name, run_id);
    // An instant in the future comes from a wrong clock: no changes were requested up to then.
    if (!asked || *asked > context.clock.now() || !runs || !*runs) {
        return std::nullopt;
    }
    const UnbroughtSearch::Times times{**runs, *asked, reach_of(*resource.incremental, *known),
                                       known->resolution.value_or(std::chrono::seconds(1))};
    return std::optional<UnbroughtSearch>(std::in_place, resource.incremental->field, times);
}

// How long passes for changes may begin at the same time because no canary answered after one of them. While nothing
// changes, that costs nothing, because their answers are empty.
constexpr Duration longest_unconfirmed = std::chrono::hours(7 * 24);

}  // namespace

// The oldest answer of the canary that suffices while the pass shows readers nothing new.
Duration PassRun::identity_max_age(bool is_behind) const
{
    // A personal token follows its user from one library to another at any moment, so its answer is not shared.
    if (is_personal(context_.library, context_.keeper.status())) {
        return Duration(0);
    }
    // A pass that proves a list needs a young answer: for a dead token the list may show its public part.
    if (plan_.kind != PassKind::incremental || plan_.slice) {
        return std::chrono::seconds(60);
    }
    if (!is_behind && must_confirm()) {
        return std::chrono::hours(24);  // it is asked after the walk
    }
    // With polls every ten minutes, every other one costs a single request. What a poll does not see because the token
    // belongs to another library comes later: see must_confirm().
    return std::chrono::minutes(20);
}

// Whether an answer of the canary after this walk is needed even if it shows nothing new: only with one may later
// passes for changes begin at this walk. (Lists by parent are too many for that: theirs is at most a minute old.)
bool PassRun::must_confirm() const
{
    if (!resource_.incremental || plan_.slice) {
        return false;
    }
    const auto age = context_.clock.now() - plan_.confirmed_to.value_or(Instant());
    // Several pages that the next passes would walk again for this reason alone, and not because they reach back so
    // far.
    const bool repeats_pages =
        plan_.since && plan_.confirmed_to && machine_.walk().pages > 1 && age > *plan_.confirmed_to - *plan_.since;
    return !plan_.confirmed_to || repeats_pages || age >= longest_unconfirmed || age < Duration(0);
}

// Whether the list was proven complete before, and some of its rows were not received: if this walk were published, the
// table would be said to be as new as it, while the rows of the other pages are old. `goes_on`: the refusal does not
// mean that the list ends there. If it may mean that, a list that shrank during the walk lacks up to two pages, once.
asio::awaitable<bool> PassRun::lacks_proven_rows(bool goes_on)
{
    const auto& walk = machine_.walk();
    const auto lacking = walk.count_last.value_or(0) - std::min(walk.distinct_keys, walk.count_last.value_or(0));
    const auto may_shrink =
        goes_on || plan_.repeats ? 0 : 2 * walk.distinct_keys / std::max<std::uint64_t>(walk.pages, 1);
    const bool lacks = walk.count_last ? lacking > may_shrink : goes_on;
    if (!lacks) {
        co_return false;
    }
    auto look = [this]() -> Result<bool> {
        if (!plan_.slice) {
            SHELFD_TRY_ASSIGN(summary, context_.mirror.summary(resource_.name));
            return summary && summary->proven_as_of;
        }
        SHELFD_TRY_ASSIGN(slices, context_.mirror.slices(resource_.name));
        return std::any_of(slices.begin(), slices.end(), [this](const mirror::SliceFacts& known) {
            return known.name == plan_.slice->name && known.proven_as_of;
        });
    };
    const auto proven = co_await context_.lane.run(look);
    co_return proven.value_or(false);
}

// What publishing would do to rows that readers have.
asio::awaitable<Result<Vouching::Rows>> PassRun::weigh_loss()
{
    loss_ = {};
    if (vouching_.has_rows()) {
        auto look = [this] { return staged_.value_loss(); };
        SHELFD_CO_TRY_ASSIGN(loss, co_await context_.lane.run(look));
        loss_ = loss;
    }
    if (staged_.lacks_rows()) {
        co_return Vouching::Rows::go;
    }
    co_return rows_of(loss_);
}

// Rows that come from other windows also count as entered.
asio::awaitable<Result<void>> PassRun::count_taken()
{
    taken_ = {};
    if (plan_.kind == PassKind::window && machine_.walk().entered > 0) {
        auto count = [this] { return staged_.taken_rows(); };
        SHELFD_CO_TRY_ASSIGN(taken, co_await context_.lane.run(count));
        taken_ = taken;
    }
    co_return Result<void>();
}

asio::awaitable<PassAction> PassRun::publish()
{
    board_.enter(Phase::publishing);
    board_.changed();
    auto claimed = co_await claim_mirror(context_, Claim::take);
    if (claimed.trouble != Trouble::none) {
        co_return fail(claimed.trouble, std::move(claimed.why), claimed.source);
    }
    // Without a canary, the token may be the reason for missing rows and members.
    if (!machine_.asks_identity()) {
        const auto rows = co_await weigh_loss();
        if (!rows) {
            co_return fail_with(rows.error());
        }
        if (loss_.members || *rows == Vouching::Rows::go) {
            vouching_.nobody_to_ask();
        }
    }
    const auto counted = co_await count_taken();
    if (!counted) {
        co_return fail_with(counted.error());
    }
    const bool keeps_members = vouching_.is_impossible() && loss_.members;
    const auto proof = to_mirror_proof(
        ended_walk(), {as_of_, report_.read_at, late_at_, spent(), round_, set_back_to(plan_, report_)});
    auto work = [this, &proof, keeps_members]() -> Result<mirror::PublishOutcome> {
        if (keeps_members) {
            SHELFD_TRY(staged_.keep_members());
        }
        auto rows = search_unbrought(context_, resource_, plan_, report_.run_id);
        const auto watch = rows ? std::optional(rows->watch()) : std::nullopt;
        auto outcome = staged_.publish(proof, watch ? &*watch : nullptr);
        if (outcome && rows) {
            report_.learned.unbrought = rows->found(plan_.slice ? plan_.slice->name : "");
        }
        if (outcome) {
            staged_.forget();
        }
        if (outcome && !plan_.slice) {
            auto known = context_.mirror.discovery(resource_.name);
            report_.known = known ? std::make_shared<mirror::Discovery>(std::move(*known)) : nullptr;
        }
        return outcome;
    };
    auto published = co_await context_.lane.run(work);
    if (!published) {
        co_return fail_with(published.error());
    }
    report_.published = *published;
    report_.as_of = as_of_;
    report_.remark = remark_on(ended_walk());
    co_return resume(PassEvent::published);
}

// A page after the first is tried for minutes before the pass is given up. Readers need not wait for that: they see
// what keeps it from advancing as early as if page 1 had failed.
asio::awaitable<void> PassRun::tell_of_obstacle()
{
    if (board_.is_obstacle_over()) {
        co_await board_.end_obstacle();
        co_return;
    }
    if (!machine_.has_failed_often()) {
        co_return;
    }
    sync::Obstacle met{last_trouble_.why, last_trouble_.source};
    if (plan_.slice && plan_.slice->is_list_by_parent()) {
        met.why = fmt::format("the list for {} {}: {}", resource_.parent->as, plan_.slice->name, met.why);
    }
    auto telling = board_.meet_obstacle(std::move(met));
    co_await std::move(telling);
}

asio::awaitable<void> PassRun::record_failure()
{
    if (report_.trouble == Trouble::none) {
        report_.trouble = page_fault_ == PageFault::rows ? Trouble::needs_person : Trouble::passing;
        const bool is_last = machine_.failure().empty();
        report_.why = is_last ? last_trouble_.why : machine_.failure();
        report_.source = is_last ? last_trouble_.source : TroubleSource::service;
    }
    mirror::RunRecord run;
    run.mode = run_mode_of(plan_.kind);
    run.run_id = report_.run_id;
    run.resource = resource_.name;
    run.started = report_.started;
    run.finished = report_.ended;
    run.error = report_.why;
    run.requests = report_.requests();
    run.reasons = report_.spent.to_json();
    run.pages = report_.pages;
    // The next try resumes with these pages only if the trouble may have passed by then.
    const bool goes_on = report_.trouble == Trouble::passing && machine_.failure().empty() && !pages_are_spent_;
    auto work = [this, &run, goes_on]() -> Result<void> {
        staged_.drop();
        if (!goes_on) {
            staged_.forget();
        }
        // A pass that sent no request is a state, not a run.
        const bool is_part = plan_.slice && plan_.slice->is_list_by_parent();
        return run.requests > 0 && !is_part ? context_.mirror.record_run(run) : Result<void>();
    };
    const auto recorded = co_await context_.lane.run(work);
    // Of a mirror that cannot be written nobody expects that, and its sentence is there already.
    if (!recorded && report_.trouble != Trouble::storage) {
        report_.why += "; and the mirror could not record it: " + recorded.error().text();
    }
}

EndedWalk PassRun::ended_walk() const
{
    return {.plan = plan_,
            .facts = machine_.walk(),
            .envelope = staged_.envelope(),
            .is_confirmed = vouching_.is_confirmed() || !machine_.asks_identity() || plan_.slice.has_value(),
            .is_unvouched = vouching_.is_impossible(),
            .lacks_members = loss_.members,
            .taken = taken_,
            .order_was_refused = machine_.order_was_refused(),
            .query_was_refused = page_fault_ == PageFault::query,
            .refused_page = refused_page_,
            .astray = machine_.astray()};
}

Learned PassRun::learned() const
{
    auto learned = learned_by(ended_walk(), report_.run_id);
    learned.unbrought = report_.learned.unbrought;
    learned.unsolicited = staged_.unsolicited();
    learned.end = staged_.end_habit();
    return learned;
}

budget::Tally PassRun::spent() const
{
    auto spent = plan_.spent;
    spent.add(fetcher_.sent());
    spent.add(budget::Reason::canary, vouching_.requests());
    return spent;
}

}  // namespace shelfd::sync
