#include "app/operations/sync_operation.hpp"

#include "app/operations/sync_failures.hpp"
#include "app/report/budget_report.hpp"
#include "app/report/progress_report.hpp"
#include "app/report/status_report.hpp"
#include "base/pause.hpp"
#include "base/words/names.hpp"
#include "control/model/unknown_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace shelfd::app {
namespace {

// A pass for which a person waits.
struct PendingPass {
    LibraryUnit* unit;
    sync::ResourceWorker* worker;
    std::uint64_t until;  // value of passes_ended
    bool ended = false;
    // The last report about it, and its time.
    std::string shown_step = {};
    std::string shown_place = {};
    Instant shown_at = {};
    std::optional<Instant> shown_pause = {};
    std::optional<Instant> shown_next_request = {};
};

// A service on the same machine answers hundreds of pages a second, more than people can read.
constexpr Duration between_places = std::chrono::milliseconds(200);
// A pass of one page that is shorter reports only its end.
constexpr Duration untold = std::chrono::milliseconds(100);
// Nothing notifies of a pause of the limiter that another library has caused.
constexpr Duration between_looks = std::chrono::seconds(2);
constexpr Duration worth_telling = std::chrono::seconds(2);  // of a pause
// While nothing else is new, the time left is shown again.
constexpr Duration between_estimates = std::chrono::seconds(5);

enum class Telling { all, end_only };

control::PlannedPass planned_pass(const LibraryUnit& unit, const sync::ResourceWorker& worker, const sync::Wish& wish)
{
    const auto preview = worker.preview(wish);
    return {to_string(preview.kind),       preview.why,     preview.target, preview.tries_filter,
            unit.identity().is_possible(), preview.requests};
}

// Empty for a table that is younger than `if_older`, and in a dry run.
std::optional<PendingPass> request_pass(LibraryUnit& unit, sync::ResourceWorker& worker, const sync::Wish& wish,
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
        return PendingPass{&unit, &worker, worker.request_pass(wish)};
    }
    sink(event);
    return std::nullopt;
}

Result<sync::Wish> wish_of(const sync::ResourceWorker& worker, const control::SyncRequest& request)
{
    sync::Wish wish;
    if (!request.asked_by.empty()) {
        wish.asked_by.push_back(request.asked_by);
    }
    if (request.extent == control::Extent::full || !request.from.empty()) {
        wish.wanted = sync::Wanted::full_by_person;
    }
    if (!request.from.empty()) {
        SHELFD_TRY_ASSIGN(range, worker.time_range(request.from, request.to));
        wish.range = range;
    }
    return wish;
}

std::vector<std::string> table_names(const LibraryUnit& unit)
{
    std::vector<std::string> names;
    for (const auto& worker : unit.tables().lists()) {
        names.push_back(worker->name());
    }
    return names;
}

Result<std::vector<PendingPass>> request_passes(LibraryUnit& unit, const control::SyncRequest& request,
                                                const control::ProgressSink& sink)
{
    if (unit.library().paused) {
        return Error(ErrorKind::needs_person,
                     fmt::format("{0} is paused: shelfctl library resume {0}", unit.library().name));
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
        return control::unknown_table(unit.library().name, resource, table_names(unit));
    }
    return passes;
}

// The end of a pause that the service asks for; empty for a pause that is over soon.
std::optional<Instant> pause_of(const LibraryUnit& unit)
{
    const auto until = unit.limiter().status().paused_until;
    return until && *until - unit.now() >= worth_telling ? until : std::nullopt;
}

// The end of a pause is computed from two clocks, so it moves by microseconds.
bool is_same_pause(const std::optional<Instant>& a, const std::optional<Instant>& b)
{
    return a && b ? std::max(*a, *b) - std::min(*a, *b) < worth_telling : a == b;
}

// When the next request of a pass starts that waits for the limit.
std::optional<Instant> next_request_of(const LibraryUnit& unit, const sync::Progress& progress, Instant now)
{
    return waits_for_limit(progress, now) ? unit.limiter().status().next_slot : std::nullopt;
}

// Reports what is new about a pass; true if it has ended.
bool tell(PendingPass& pass, Telling telling, const control::ProgressSink& sink)
{
    const auto& unit = *pass.unit;
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
    const auto next_request = next_request_of(unit, progress, now);
    auto step = fmt::format("{} {}{}", to_string(progress.phase), progress.note,
                            waits_for_limit(progress, now) ? " waits" : "");
    auto place = fmt::format("{} {} {}", progress.list, progress.page, progress.rows);
    const auto is_soon = now >= pass.shown_at && now - pass.shown_at < between_places;
    event.paused_until = pause_of(unit);
    const bool is_old = !event.paused_until && progress.running && now - pass.shown_at >= between_estimates;
    if (step != pass.shown_step || (place != pass.shown_place && !is_soon) || is_old ||
        !is_same_pause(event.paused_until, pass.shown_pause) || !is_same_pause(next_request, pass.shown_next_request)) {
        event.running = report_progress(unit, progress, 0, now);
        pass.shown_pause = event.paused_until;
        pass.shown_next_request = next_request;
        pass.shown_step = std::move(step);
        pass.shown_place = std::move(place);
        pass.shown_at = now;
        sink(event);
    }
    return false;
}

// "recipes", and if several libraries are requested "antwerp recipes".
std::string name_of(const PendingPass& pass, const control::SyncRequest& request)
{
    const auto& resource = pass.worker->name();
    return request.library.empty() ? pass.unit->library().name + " " + resource : resource;
}

// Why the pass takes so long; "" if it goes on.
std::string delay_of(const PendingPass& pass)
{
    const auto& unit = *pass.unit;
    if (const auto until = pause_of(unit)) {
        return describe_pause(*until);
    }
    const auto running = report_progress(unit, pass.worker->report().progress, 0, unit.now());
    if (!running) {
        return "the pass waits for other lists";
    }
    if (!running->note.empty()) {
        return running->note;
    }
    if (running->waits_for_limit_since) {
        return fmt::format("it has been waiting for the request limit ({}) since {}", running->limit,
                           running->waits_for_limit_since->to_short_text());
    }
    return control::describe_place(*running);
}

Error still_running(const std::vector<PendingPass>& passes, const control::SyncRequest& request,
                    const SyncFailures& failures)
{
    constexpr std::size_t shown = 3;
    std::vector<std::string> names;
    std::string why;
    for (const auto& pass : passes) {
        if (!pass.ended) {
            names.push_back(name_of(pass, request));
            why = why.empty() ? delay_of(pass) : why;
        }
    }
    const auto where = request.library.empty() ? "" : " " + request.library;
    const auto failed = failures.text();
    // That a person is needed outweighs that others take long.
    const auto outcome = failures.outcome();
    const bool needs_person = !outcome && outcome.error().kind() == ErrorKind::needs_person;
    return Error(needs_person ? ErrorKind::needs_person : ErrorKind::timeout,
                 fmt::format("{}still running after {}: {}{}{}; the passes continue: shelfctl status{}",
                             failed.empty() ? "" : failed + "\n", describe_duration(*request.timeout),
                             list_some(names, shown), why.empty() ? "" : "; ", why, where));
}

// A person who requests a pass also wants another try at a refresh that failed.
void try_refresh(LibraryUnit& unit)
{
    using State = oauth::TokenState;
    // For a token that works it counts as well, if this very pass finds that the service refuses it.
    constexpr std::array tried = {State::good, State::waiting, State::in_doubt, State::configuration, State::blocked};
    const auto token = unit.keeper().status();
    if (token.journals.holds_login || std::find(tried.begin(), tried.end(), token.state) != tried.end()) {
        unit.keeper().try_again();
    }
}

// Reports what is new about the passes, and adds those that have failed. Returns how many have not ended.
std::size_t look_at(std::vector<PendingPass>& passes, Telling telling, const control::ProgressSink& sink,
                    SyncFailures& failures)
{
    std::size_t left = 0;
    for (auto& pass : passes) {
        if (pass.ended) {
            continue;
        }
        if (pass.unit->is_stopped()) {
            pass.ended = true;
            failures.add(pass.unit->library().name, pass.unit->stopped_error());
        } else if (tell(pass, telling, sink)) {
            failures.add(*pass.unit, *pass.worker, *pass.worker->report().last_pass);
        }
        left += pass.ended ? 0 : 1;
    }
    return left;
}

}  // namespace

asio::awaitable<Result<void>> sync_now(std::vector<LibraryUnit*> units, AsyncEvent& changed,
                                       control::SyncRequest request, control::ProgressSink sink)
{
    const bool is_one = !request.library.empty();
    std::vector<PendingPass> passes;
    SyncFailures failures(request.library);
    for (auto* unit : units) {
        auto requested = request_passes(*unit, request, sink);
        if (!requested && is_one) {
            co_return std::move(requested).error();
        }
        if (!requested) {
            failures.add(unit->library().name, requested.error());
            continue;
        }
        std::move(requested->begin(), requested->end(), std::back_inserter(passes));
        try_refresh(*unit);
    }
    if (request.waiting == control::Waiting::background) {
        co_return failures.outcome();
    }
    auto& clock = units.front()->context().clock;
    const auto begin_telling = clock.boot_now() + untold;
    const auto end = request.timeout ? std::optional(clock.boot_now() + *request.timeout) : std::nullopt;
    for (;;) {
        const auto now = clock.boot_now();
        const auto telling = now < begin_telling ? Telling::end_only : Telling::all;
        if (is_one && !passes.empty() && units.front()->is_stopped()) {
            co_return units.front()->stopped_error();
        }
        const auto left = look_at(passes, telling, sink, failures);
        if (left == 0) {
            co_return failures.outcome();
        }
        if (end && now >= *end) {
            co_return still_running(passes, request, failures);
        }
        const auto look_again = now < begin_telling ? begin_telling : now + between_looks;
        co_await clock.wait_until(end ? std::min(*end, look_again) : look_again, changed);
    }
}

}  // namespace shelfd::app
