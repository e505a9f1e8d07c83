#include "sync/round.hpp"

#include "sync/child_walks.hpp"
#include "sync/early_passes.hpp"
#include "sync/pass_run.hpp"
#include "sync/run_id.hpp"

#include <boost/asio/this_coro.hpp>

#include <exception>
#include <memory>
#include <utility>

namespace shelfd::sync {
namespace {

// What the passes before brought, into the report of the newest one.
void add(PassReport& newest, const PassReport& before)
{
    newest.started = before.started;
    newest.spent.add(before.spent);
    newest.pages += before.pages;
    newest.learned.met.insert(0, before.learned.met);
    if (!before.proof.complete()) {
        newest.proof = before.proof;
    }
    if (newest.remark.empty()) {
        newest.remark = before.remark;
    }
    if (newest.published && before.published) {
        newest.published->added += before.published->added;
        newest.published->changed += before.published->changed;
        newest.published->unchanged += before.published->unchanged;
        newest.published->deleted += before.published->deleted;
        newest.published->drifted += before.published->drifted;
    }
}

// `early` gives them, in their order.
asio::awaitable<PassReport> run_passes(LibraryContext& context, const Round& round, EarlyPasses& early,
                                       std::optional<Instant> late_at)
{
    const auto passes = round.passes.size();
    const auto is_next = [&round, passes](std::size_t place) {
        return place < passes && round.passes[place].fault.empty();
    };
    const bool ends_round = round.is_sliced() && round.ordinary;
    std::optional<PassReport> report;
    RoundSoFar so_far;
    so_far.proven = round.keeps_up;
    bool goes_on = true;
    for (std::size_t i = 0; i < passes && goes_on; ++i) {
        const auto& slice = round.passes[i].slice;
        auto run = early.take(is_next);
        auto run_id = make_run_id(context.clock.now(), context.random());
        const auto ending = ends_round && i + 1 == passes ? std::optional(so_far) : std::nullopt;
        auto ended = co_await run->run(std::move(run_id), late_at, ending);
        early.ended(ended);
        goes_on = ended.trouble == Trouble::none && !(round.is_brief && ended.pages > 1);
        ended.failed_window = ended.trouble == Trouble::none || !slice ? std::nullopt : std::optional(slice->first);
        so_far.as_of = so_far.as_of.value_or(ended.as_of);
        so_far.proven = so_far.proven && ended.proof.complete();
        if (report) {
            add(ended, *report);
        }
        report = std::move(ended);
    }
    co_return std::move(*report);
}

}  // namespace

asio::awaitable<PassReport> run_round(LibraryContext& context, const config::Resource& resource, Round round,
                                      Progress& progress, std::function<void()> changed, std::optional<Instant> late_at)
{
    if (round.children) {
        ChildWalks walks(context, resource, std::move(round), progress, std::move(changed));
        co_return co_await walks.run(late_at);
    }
    auto make = [&](std::size_t place) {
        return std::make_unique<PassRun>(context, resource, round.passes[place], round.line, progress, changed);
    };
    EarlyPasses early(context, std::move(make));
    std::optional<PassReport> report;
    std::exception_ptr cancelled;
    try {
        report = co_await run_passes(context, round, early, late_at);
    } catch (...) {
        cancelled = std::current_exception();
    }
    if (cancelled) {
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    }
    const auto unused = co_await early.close();
    if (cancelled) {
        std::rethrow_exception(cancelled);
    }
    report->spent.add(unused);
    co_return std::move(*report);
}

}  // namespace shelfd::sync
