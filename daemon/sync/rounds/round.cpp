#include "sync/rounds/round.hpp"

#include "sync/library/run_id.hpp"
#include "sync/pass/pass_run.hpp"
#include "sync/rounds/first_page_prefetch.hpp"
#include "sync/rounds/list_walks.hpp"
#include "sync/rounds/repeated_walk.hpp"

#include <boost/asio/this_coro.hpp>
#include <fmt/core.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

namespace shelfd::sync {
namespace {

using MakePass = std::function<std::unique_ptr<PassRun>(PassPlan plan)>;

// Repeats the walk of a window until it is proven.
asio::awaitable<PassReport> prove_window(LibraryContext& context, PassReport walked, const PassPlan& plan,
                                         const MakePass& make, std::optional<Instant> late_at,
                                         std::optional<RoundSoFar> ending)
{
    const WalkAgain again = [&](PassPlan repetition, const PassReport&) -> asio::awaitable<PassReport> {
        auto pass = make(std::move(repetition));
        auto run_id = make_run_id(context.clock.now(), context.random());
        co_return co_await pass->run(std::move(run_id), late_at, ending);
    };
    auto all = co_await repeat_until_proven(std::move(walked), plan, again);
    if (all.interrupted) {
        add(*all.interrupted, all.ended);
        co_return std::move(*all.interrupted);
    }
    auto ended = std::move(all.ended);
    const auto walks = all.walks;
    const bool is_unproven = plan.slice && ended.kind == PassKind::window && ended.published && !ended.proof.complete();
    if (is_unproven && ended.remark.empty()) {
        ended.remark = fmt::format("{}: {} walk{} did not prove that no row of this window was missed: {}; it is "
                                   "walked again in the next pass",
                                   plan.slice->name, walks, walks == 1 ? "" : "s in a row",
                                   ended.learned.ordering == mirror::ParameterSupport::ignored
                                       ? "the service ignores the requested order, and rows moved meanwhile"
                                       : "rows moved meanwhile");
    }
    co_return ended;
}

// A window that was not requested gets no record.
void record_window(PassReport& ended, const mirror::Slice& window)
{
    if (ended.trouble != Trouble::none && ended.spent.of(budget::Reason::page) == 0) {
        return;
    }
    auto word = ended.trouble == Trouble::none ? ended.remark : ended.why;
    if (!word.empty() && !word.starts_with(window.name)) {
        word.insert(0, window.name + ": ");
    }
    ended.windows.asked.push_back({window.name, window.first, window.past, std::move(word)});
    if (ended.takes_rows) {
        ended.windows.taking.push_back(window.first);
    }
}

// A service that refuses the days to come is no trouble for a ledger, which holds the past.
void excuse_ahead(PassReport& ended, const mirror::Slice& window)
{
    const bool is_refused = ended.trouble == Trouble::forbidden || ended.trouble == Trouble::needs_person;
    if (window.past != mirror::behind_all || !is_refused || ended.spent.of(budget::Reason::page) == 0) {
        return;
    }
    ended.trouble = Trouble::none;
    ended.cure = {};
    ended.why = ended.remark = fmt::format(
        "{}: {}: rows that left their windows may have future dates, and stay until future days can be requested",
        window.name, ended.why);
}

// `early` returns the passes in order; `make` makes one that is repeated.
asio::awaitable<PassReport> run_passes(LibraryContext& context, const Round& round, FirstPagePrefetch& early,
                                       const MakePass& make, std::optional<Instant> late_at)
{
    const auto passes = round.passes.size();
    const auto is_next = [&round, passes](std::size_t place) {
        return place < passes && round.passes[place].fault.empty();
    };
    std::optional<PassReport> report;
    RoundSoFar so_far;
    so_far.proven = round.keeps_up;
    bool goes_on = true;
    for (std::size_t i = 0; i < passes && goes_on; ++i) {
        const auto& slice = round.passes[i].slice;
        auto run = early.take(is_next);
        auto run_id = make_run_id(context.clock.now(), context.random());
        const bool says = round.keep_fresh > 0 && (i + 1 == round.keep_fresh || i + 1 == passes);
        auto ending = says ? std::optional(so_far) : std::nullopt;
        auto walked = co_await run->run(std::move(run_id), late_at, ending);
        if (ending) {
            ending->as_of = ending->as_of.value_or(walked.as_of);
        }
        run.reset();
        auto ended = co_await prove_window(context, std::move(walked), round.passes[i], make, late_at, ending);
        early.ended(ended);
        goes_on = ended.trouble == Trouble::none && !(round.is_brief && ended.pages > 1);
        ended.windows.failed = ended.trouble == Trouble::none || !slice ? std::nullopt : std::optional(slice->first);
        so_far.as_of = so_far.as_of.value_or(ended.as_of);
        so_far.proven = so_far.proven && ended.proof.complete();
        if (slice) {
            excuse_ahead(ended, *slice);
            record_window(ended, *slice);
        }
        if (report) {
            add(ended, *report);
        }
        report = std::move(ended);
    }
    co_return std::move(*report);
}

}  // namespace

std::uint64_t Round::expected_requests(std::uint64_t rows, std::uint64_t page_size) const
{
    const bool is_list = !by_parent && !is_sliced() && passes.front().kind == PassKind::full;
    return is_list ? (rows + page_size - 1) / page_size : size();
}

asio::awaitable<PassReport> run_round(LibraryContext& context, const config::Resource& resource, Round round,
                                      PassBoard& board, std::optional<Instant> late_at)
{
    if (round.by_parent) {
        ListWalks walks(context, resource, std::move(round), board);
        co_return co_await walks.run(late_at);
    }
    const MakePass make_again = [&](PassPlan plan) {
        return std::make_unique<PassRun>(context, resource, std::move(plan), round.line, board);
    };
    FirstPagePrefetch early(context.clock, max_ahead(context.library, context.keeper.status()),
                            [&](std::size_t place) { return make_again(round.passes[place]); });
    std::optional<PassReport> report;
    std::exception_ptr cancelled;
    try {
        report = co_await run_passes(context, round, early, make_again, late_at);
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
