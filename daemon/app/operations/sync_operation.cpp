#include "app/operations/sync_operation.hpp"

#include "app/report/progress_report.hpp"
#include "app/report/status_report.hpp"

#include <fmt/core.h>

#include <vector>

namespace shelfd::app {
namespace {

// A pass for which a person waits.
struct PendingPass {
    sync::ResourceWorker* worker;
    std::uint64_t until;  // value of passes_ended
    bool ended = false;
    // The last report about it, and its time.
    std::string shown_step = {};
    std::string shown_place = {};
    Instant shown_at = {};
};

// A service on the same machine answers hundreds of pages a second, more than people can read.
constexpr Duration between_places = std::chrono::milliseconds(200);
// A pass of one page that is shorter reports only its end.
constexpr Duration untold = std::chrono::milliseconds(100);
constexpr Duration max_wait = std::chrono::hours(1);  // changes come much sooner

enum class Telling { all, end_only };

control::PlannedPass planned_pass(const LibraryUnit& unit, const sync::ResourceWorker& worker, const sync::Wish& wish)
{
    const auto preview = worker.preview(wish);
    return {to_string(preview.kind),       preview.why,     preview.target, preview.tries_filter,
            unit.identity().is_possible(), preview.requests};
}

// Empty for a table that is younger than `if_older`, and in a dry run.
std::optional<PendingPass> request_pass(const LibraryUnit& unit, sync::ResourceWorker& worker, const sync::Wish& wish,
                                        const control::SyncRequest& request, const control::ProgressSink& sink)
{
    const auto& as_of = worker.report().summary.as_of;
    control::ProgressEvent event;
    event.library = unit.library().name;
    event.resource = worker.name();
    if (request.if_older && as_of && unit.now() - *as_of < *request.if_older) {
        event.young_as_of = as_of;
    } else if (request.dry_run) {
        event.planned = planned_pass(unit, worker, wish);
    } else {
        return PendingPass{&worker, worker.request_pass(wish)};
    }
    sink(event);
    return std::nullopt;
}

Result<sync::Wish> wish_of(const sync::ResourceWorker& worker, const control::SyncRequest& request)
{
    sync::Wish wish;
    if (request.extent == control::Extent::full || !request.from.empty()) {
        wish.wanted = sync::Wanted::full_by_person;
    }
    if (!request.from.empty()) {
        SHELFD_TRY_ASSIGN(range, worker.time_range(request.from, request.to));
        wish.range = range;
    }
    return wish;
}

Result<std::vector<PendingPass>> request_passes(LibraryUnit& unit, const control::SyncRequest& request,
                                                const control::ProgressSink& sink)
{
    if (unit.library().paused) {
        return Error(ErrorKind::usage,
                     fmt::format("{} is paused; set paused = false, then: shelfctl reload", unit.library().name));
    }
    if (unit.is_stopped()) {
        return unit.stopped_error();
    }
    const auto& resource = request.resource;
    std::vector<PendingPass> passes;
    bool found = false;
    for (const auto& worker : unit.tables().lists()) {
        if (!resource.empty() && worker->name() != resource) {
            continue;
        }
        found = true;
        SHELFD_TRY_ASSIGN(wish, wish_of(*worker, request));
        if (auto pass = request_pass(unit, *worker, wish, request, sink)) {
            passes.push_back(std::move(*pass));
            unit.tables().wake_details_of(worker->name());
        }
    }
    for (const auto& details : unit.tables().details()) {
        if (details->name() == resource) {
            return Error(ErrorKind::usage, fmt::format("{0} is filled item by item from {1}, as the limit allows; to "
                                                       "fetch new and changed items now: shelfctl sync {2} {1}",
                                                       resource, details->list(), unit.library().name));
        }
    }
    if (!found) {
        return Error(ErrorKind::not_found, fmt::format("{} has no resource {}; try shelfctl status {} --all",
                                                       unit.library().name, resource, unit.library().name));
    }
    return passes;
}

// Reports what is new about a pass; true if it has ended.
bool tell(const LibraryUnit& unit, PendingPass& pass, Telling telling, const control::ProgressSink& sink)
{
    const auto& report = pass.worker->report();
    control::ProgressEvent event;
    event.library = unit.library().name;
    event.resource = pass.worker->name();
    if (report.passes_ended >= pass.until && report.last_pass) {
        // Two walks that follow each other prove together what neither does alone.
        pass.ended = !pass.worker->repeats_walk();
        pass.until = report.passes_ended + 1;
        event.ended = report_pass(*report.last_pass);
        sink(event);
        return pass.ended;
    }
    const auto& progress = report.progress;
    if (telling == Telling::end_only && progress.page <= 1) {
        return false;
    }
    const auto now = unit.now();
    const auto& wait = progress.wait;
    const bool is_starved = wait && wait->requests > 0 && now - wait->since >= between_places;
    auto step = fmt::format("{} {}{}", to_string(progress.phase), progress.note, is_starved ? " waits" : "");
    auto place = fmt::format("{} {} {}", progress.list, progress.page, progress.rows);
    const auto is_soon = now >= pass.shown_at && now - pass.shown_at < between_places;
    if (step != pass.shown_step || (place != pass.shown_place && !is_soon)) {
        event.running = report_progress(unit, progress, 0, now);
        pass.shown_step = std::move(step);
        pass.shown_place = std::move(place);
        pass.shown_at = now;
        sink(event);
    }
    return false;
}

ErrorKind kind_of(sync::Trouble trouble)
{
    switch (trouble) {
    case sync::Trouble::forbidden:
    case sync::Trouble::needs_person:
    case sync::Trouble::wrong_library: return ErrorKind::needs_person;
    case sync::Trouble::storage: return ErrorKind::storage;
    case sync::Trouble::none:
    case sync::Trouble::passing: break;
    }
    return ErrorKind::network;
}

// Collects why passes failed: the most serious kind, and a line for each.
class Failures {
public:
    // Nothing where the pass did what it was made for. One that was published may still not have proven its table
    // complete: what it says about that is why, and one for changes that says nothing is none of these.
    void add(const std::string& resource, const sync::PassReport& pass)
    {
        const bool is_whole = pass.kind != sync::PassKind::incremental;
        if (pass.published && (pass.proof.complete() || (!is_whole && pass.remark.empty()))) {
            return;
        }
        if (pass.published) {
            add(resource, pass.remark.empty() ? "rows moved while the list was walked, so it is not proven complete; "
                                                "it is walked again at the next turn"
                                              : pass.remark);
            return;
        }
        const auto kind = kind_of(pass.trouble);
        const bool worse = kind == ErrorKind::needs_person || kind_ == ErrorKind::network;
        kind_ = worse ? kind : kind_;
        add(resource, pass.why);
    }
    void add(const std::string& resource, const std::string& why)
    {
        text_ += fmt::format("{}{}: {}", text_.empty() ? "" : "\n", resource, why);
    }
    Result<void> outcome() const { return text_.empty() ? Result<void>() : Error(kind_, text_); }

private:
    ErrorKind kind_ = ErrorKind::network;
    std::string text_;
};

}  // namespace

asio::awaitable<Result<void>> sync_now(LibraryUnit& unit, AsyncEvent& changed, control::SyncRequest request,
                                       control::ProgressSink sink)
{
    SHELFD_CO_TRY_ASSIGN(passes, request_passes(unit, request, sink));
    if (const auto state = unit.keeper().status().state;
        state == oauth::TokenState::waiting || state == oauth::TokenState::in_doubt) {
        unit.keeper().try_again();
    }
    auto& clock = unit.context().clock;
    const auto begin_telling = clock.boot_now() + untold;
    std::size_t left = request.waiting == control::Waiting::background ? 0 : passes.size();
    Failures failures;
    while (left > 0) {
        if (unit.is_stopped()) {
            co_return unit.stopped_error();
        }
        const auto now = clock.boot_now();
        const auto telling = now < begin_telling ? Telling::end_only : Telling::all;
        for (auto& pass : passes) {
            if (pass.ended || !tell(unit, pass, telling, sink)) {
                continue;
            }
            --left;
            failures.add(pass.worker->name(), *pass.worker->report().last_pass);
        }
        if (left > 0) {
            co_await clock.wait_until(now < begin_telling ? begin_telling : now + max_wait, changed);
        }
    }
    co_return failures.outcome();
}

}  // namespace shelfd::app
