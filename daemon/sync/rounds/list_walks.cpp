#include "sync/rounds/list_walks.hpp"

#include "sync/library/run_id.hpp"
#include "sync/pass/pass_run.hpp"
#include "sync/trouble/error_source.hpp"
#include "sync/trouble/scope.hpp"

#include <boost/asio/this_coro.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <utility>

namespace shelfd::sync {

ListWalks::ListWalks(LibraryContext& context, const config::Resource& resource, Round round, PassBoard& board)
    : context_(context), resource_(resource), round_(std::move(round)), board_(board),
      machine_({.good_elsewhere = round_.by_parent->good_elsewhere}),
      early_(context.clock, max_ahead(context.library, context.keeper.status()),
             [this](std::size_t place) { return make_pass(plan_of(place)); }),
      missed_(context)
{
    const auto& by_parent = *round_.by_parent;
    end_habit_ = end_habit_of(by_parent.discovery);
    report_.kind = by_parent.whole ? PassKind::full : PassKind::incremental;
    report_.started = context_.clock.now();
    report_.run_id = make_run_id(report_.started, context_.random());
    report_.as_of = by_parent.parents_as_of;
    report_.spent = round_.spent;
    report_.proof.kind = ProofKind::single_page;  // until a list shows otherwise
}

asio::awaitable<PassReport> ListWalks::run(std::optional<Instant> late_at)
{
    const auto& by_parent = *round_.by_parent;
    const auto granted = context_.keeper.status().scope;
    const bool is_forbidden = lacks_scope(granted, resource_.needs);
    if (is_forbidden || by_parent.obstacle) {
        // A scope is not granted because the parents arrive.
        report_.trouble = is_forbidden ? Trouble::forbidden : trouble_of(*by_parent.obstacle);
        report_.source = is_forbidden ? TroubleSource::scope : source_of(*by_parent.obstacle);
        report_.why = is_forbidden ? describe_missing_scope(granted, resource_.needs) : by_parent.obstacle->text();
        report_.proof = {};
        report_.ended = context_.clock.now();
        co_return std::move(report_);
    }
    std::exception_ptr cancelled;
    try {
        co_await walk_all();
    } catch (...) {
        cancelled = std::current_exception();
    }
    if (cancelled) {
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    }
    report_.spent.add(co_await early_.close());
    if (cancelled) {
        std::rethrow_exception(cancelled);
    }
    board_.enter_list(0, 0, context_.clock.now());
    co_await close(late_at);
    if (end_habit_->further != Further::unknown) {
        report_.learned.end = *end_habit_;
    }
    // If the filter worked for some list, a refusal concerns only single lists.
    report_.learned.filter_in_doubt = report_.learned.filter_in_doubt && !filter_works_;
    report_.ended = context_.clock.now();
    board_.changed();
    co_return std::move(report_);
}

asio::awaitable<void> ListWalks::walk_all()
{
    const auto lists = round_.by_parent->lists.size();
    board_.begin_round(report_.started);
    for (std::size_t i = 0; i < lists && machine_.state() != RoundState::stopped; ++i) {
        board_.enter_list(i + 1, lists, context_.clock.now());
        co_await walk(i);
    }
}

PassPlan ListWalks::plan_of(std::size_t place) const
{
    auto plan = plan_list(context_.library, resource_, round_.by_parent->discovery, round_.by_parent->lists[place]);
    plan.run_mode = mode();
    plan.end_habit = end_habit_;
    // Between two rounds no sound list waits after it.
    plan.failed_before = round_.ordinary && round_.by_parent->lists[place].faulty;
    return plan;
}

std::unique_ptr<PassRun> ListWalks::make_pass(PassPlan plan)
{
    return std::make_unique<PassRun>(context_, resource_, std::move(plan), round_.line, board_);
}

// Only if a list has shown what the answers are like, and not for a list that failed before.
bool ListWalks::may_go_ahead(std::size_t place) const
{
    const auto& by_parent = *round_.by_parent;
    return place < by_parent.lists.size() && !by_parent.lists[place].faulty && machine_.any_good() &&
           by_parent.discovery.envelope.has_value();
}

asio::awaitable<void> ListWalks::walk(std::size_t place)
{
    const auto run = early_.take([this](std::size_t next) { return may_go_ahead(next); });
    const RoundSoFar before{.as_of = {}, .proven = true, .spent = report_.spent, .ends = false};
    auto walked = co_await run->run(report_.run_id, std::nullopt, before);
    auto all = co_await prove(place, std::move(walked));
    early_.ended(all.ended);
    auto end = settle(place, std::move(all.ended));
    if (all.interrupted) {
        end = settle(place, std::move(*all.interrupted));
    }
    // Once a list is known to work, earlier failures concern only their own lists.
    const bool is_known = end == ListEnd::walked || (end == ListEnd::refused && machine_.any_good());
    if (is_known && !missed_.empty() && !co_await record_missed()) {
        machine_.ended(ListEnd::not_asked, false);
    }
}

// A person waits for the proof. Otherwise a list whose walk proved nothing is walked again between two rounds, when
// other tables have had their turn.
asio::awaitable<RepeatedWalk> ListWalks::prove(std::size_t place, PassReport walked)
{
    if (!round_.by_parent->proves_at_once) {
        co_return RepeatedWalk{std::move(walked)};
    }
    const WalkAgain again = [this](PassPlan plan, const PassReport& before) -> asio::awaitable<PassReport> {
        RoundSoFar so_far{.as_of = {}, .proven = true, .spent = report_.spent, .ends = false};
        so_far.spent.add(before.spent);
        const auto pass = make_pass(std::move(plan));
        co_return co_await pass->run(report_.run_id, std::nullopt, so_far);
    };
    co_return co_await repeat_until_proven(std::move(walked), plan_of(place), again);
}

// A walk over the list ended.
ListEnd ListWalks::settle(std::size_t place, PassReport walk)
{
    const auto& lists = round_.by_parent->lists;
    const auto end = end_of(walk);
    const bool next_is_sound = place + 1 < lists.size() && !lists[place + 1].faulty;
    machine_.ended(end, next_is_sound);
    report_.spent.add(walk.spent);
    report_.pages += walk.pages;
    if (end == ListEnd::walked) {
        take(lists[place], std::move(walk));
    } else {
        miss(lists[place], end, walk);
    }
    return end;
}

// The mode of the round: one for changes also walks whole lists that are new.
mirror::RunMode ListWalks::mode() const
{
    return round_.ordinary ? run_mode_of(report_.kind) : mirror::RunMode::between_rounds;
}

ListEnd ListWalks::end_of(const PassReport& walk) const
{
    switch (walk.trouble) {
    case Trouble::none: return ListEnd::walked;
    case Trouble::passing: return walk.requests() > 0 && !walk.lost_canary ? ListEnd::failed : ListEnd::not_asked;
    case Trouble::forbidden:
    case Trouble::needs_person:
        return walk.list.unaskable || (walk.requests() > 0 && context_.keeper.status().access_usable)
                   ? ListEnd::refused
                   : ListEnd::not_asked;
    case Trouble::wrong_library:
    case Trouble::storage: return ListEnd::not_asked;
    }
    std::abort();
}

void ListWalks::take(const ListChoice& list, PassReport walk)
{
    if (!report_.published) {
        report_.as_of = walk.as_of;
        report_.published.emplace();
    }
    auto& sum = *report_.published;
    sum.added += walk.published->added;
    sum.changed += walk.published->changed;
    sum.unchanged += walk.published->unchanged;
    sum.deleted += walk.published->deleted;
    sum.drifted += walk.published->drifted;
    sum.rows = walk.published->rows;
    sum.candidates = walk.published->candidates;
    sum.held = walk.published->held;
    if (walk.learned.envelope) {
        report_.learned.envelope = walk.learned.envelope;
        round_.by_parent->discovery.envelope = walk.learned.envelope;
    }
    if (report_.learned.unsolicited.empty()) {
        report_.learned.unsolicited = walk.learned.unsolicited;
    }
    report_.learned.unbrought.add(walk.learned.unbrought);
    if (walk.learned.ordering != mirror::ParameterSupport::unknown) {
        report_.learned.ordering = walk.learned.ordering;
    }
    filter_works_ = filter_works_ || !list.whole;
    add_proof(walk.proof);
    if (list.whole && (walk.proof.complete() || !walk.remark.empty())) {
        report_.lists.whole.push_back({list.parent, 0, 0, walk.proof.complete() ? "" : walk.remark});
    }
    if (report_.remark.empty()) {
        report_.remark = std::move(walk.remark);
    }
    report_.is_unvouched = report_.is_unvouched || walk.is_unvouched;
    if (list.whole && !walk.proof.complete() && !walk.is_unvouched) {
        report_.lists.again.push_back({list.parent, false});
    }
    ++walked_;
}

void ListWalks::add_proof(const Proof& proof)
{
    const bool first = walked_ == 0;
    if (first || !proof.complete() || (report_.proof.complete() && proof.kind != ProofKind::single_page)) {
        report_.proof = proof;
    }
}

void ListWalks::miss(const ListChoice& list, ListEnd end, const PassReport& walk)
{
    trouble_ = walk.trouble;
    source_ = walk.source;
    why_ = walk.why;
    report_.closed_for = std::max(report_.closed_for, walk.closed_for);
    report_.learned.filter_in_doubt = report_.learned.filter_in_doubt || walk.learned.filter_in_doubt;
    if (end == ListEnd::not_asked) {
        return;
    }
    missed_.add(list.parent, end, walk);
}

mirror::RunRecord ListWalks::run_so_far() const
{
    mirror::RunRecord run;
    run.run_id = report_.run_id;
    run.resource = resource_.name;
    run.mode = mode();
    run.started = report_.started;
    run.finished = context_.clock.now();
    run.error = why_;
    run.requests = report_.requests();
    run.reasons = report_.spent.to_json();
    return run;
}

// False if the mirror cannot store it.
asio::awaitable<bool> ListWalks::record_missed()
{
    co_await missed_.doubt_empty(report_);
    const auto run = run_so_far();
    const auto noted = co_await missed_.record(run, report_);
    if (!noted) {
        trouble_ = trouble_of(noted.error());
        source_ = source_of(noted.error());
        why_ = noted.error().text();
    }
    co_return noted.has_value();
}

asio::awaitable<void> ListWalks::close(std::optional<Instant> late_at)
{
    const bool stopped = machine_.state() == RoundState::stopped;
    if (stopped || !machine_.any_good()) {
        missed_.blame_service(report_.lists.failed);
    }
    const bool sent = report_.requests() > 0 && (!missed_.empty() || trouble_ != Trouble::none);
    const bool told = !sent || co_await record_missed();
    if (stopped || !told || (!round_.by_parent->lists.empty() && !machine_.any_good())) {
        report_.trouble = trouble_;
        report_.source = source_;
        report_.why = why_;
    }
    mirror::RoundEnd end;
    end.parents = round_.by_parent->parents;
    end.parents_as_of = round_.by_parent->parents_as_of;
    end.late_at = late_at;
    end.over = round_.ordinary && !stopped;
    end.error = report_.why;
    auto finish = [this, &end] { return context_.mirror.end_round(resource_.name, end); };
    const auto lists = co_await context_.lane.run(finish);
    if (!lists) {
        report_.trouble = trouble_of(lists.error());
        report_.source = source_of(lists.error());
        report_.why = lists.error().text();
        report_.published.reset();
        co_return;
    }
    conclude(*lists);
}

void ListWalks::conclude(const mirror::ListsStanding& lists)
{
    if (report_.trouble != Trouble::none) {
        report_.published.reset();
        report_.proof = {};
        // Without a list that failed, no list is to blame, but what every request needs, such as the token set.
        if (lists.lists > 1 && !machine_.any_good() && trouble_ != Trouble::passing && !lists.parent.empty()) {
            report_.why = fmt::format("none of the requested lists can be walked; the first is for {} {}: {}",
                                      resource_.parent->as, lists.parent, why_);
        }
        return;
    }
    if (!report_.published) {
        report_.published.emplace().rows = lists.rows;
    }
    report_.published->deleted += round_.by_parent->gone;
    const auto& again = report_.lists.again;
    if (lists.stale > 0 || std::any_of(again.begin(), again.end(), [](const auto& one) { return one.failed; })) {
        report_.proof = {};
    }
    if (auto text = remark_on(lists, resource_.parent->as); !text.empty()) {
        report_.remark = std::move(text);
    }
}

}  // namespace shelfd::sync
