#include "sync/round.hpp"

#include "sync/child_walks.hpp"
#include "sync/pass_run.hpp"
#include "sync/run_id.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace shelfd::sync {
namespace {

// What the passes before brought, into the report of the newest one.
void add(PassReport& newest, const PassReport& before)
{
    newest.started = before.started;
    newest.spent.add(before.spent);
    newest.pages += before.pages;
    if (!before.proof.complete()) {
        newest.proof = before.proof;
    }
    if (newest.published && before.published) {
        newest.published->added += before.published->added;
        newest.published->changed += before.published->changed;
        newest.published->unchanged += before.published->unchanged;
        newest.published->deleted += before.published->deleted;
        newest.published->drifted += before.published->drifted;
    }
}

}  // namespace

asio::awaitable<PassReport> run_round(LibraryContext& context, const config::Resource& resource, Round round,
                                      Progress& progress, std::function<void()> changed, std::optional<Instant> late_at)
{
    if (round.children) {
        ChildWalks walks(context, resource, std::move(round), progress, std::move(changed));
        co_return co_await walks.run(late_at);
    }
    const bool ends_round = round.is_sliced() && round.ordinary;
    std::optional<PassReport> report;
    RoundSoFar so_far;
    so_far.proven = round.keeps_up;
    for (std::size_t i = 0; i < round.passes.size() && (!report || report->trouble == Trouble::none); ++i) {
        const bool last = i + 1 == round.passes.size();
        const auto window = round.passes[i].slice ? std::optional(round.passes[i].slice->first) : std::nullopt;
        PassRun run(context, resource, std::move(round.passes[i]), round.purpose, round.urgent, progress, changed);
        auto run_id = make_run_id(context.clock.now(), context.random());
        const auto ending = ends_round && last ? std::optional(so_far) : std::nullopt;
        auto ended = co_await run.run(std::move(run_id), late_at, ending);
        ended.failed_window = ended.trouble == Trouble::none ? std::nullopt : window;
        round.went_on(ended.requests());
        so_far.as_of = so_far.as_of.value_or(ended.as_of);
        so_far.proven = so_far.proven && ended.proof.complete();
        if (report) {
            add(ended, *report);
        }
        report = std::move(ended);
    }
    co_return std::move(*report);
}

}  // namespace shelfd::sync
