#include "ctl/plan/budget_plan.hpp"

#include "base/time_of_day.hpp"
#include "config/model/request_cost.hpp"
#include "schedule/windows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace shelfd::ctl {
namespace {

using config::passes_a_minute;

std::string when(const config::Schedule& schedule)
{
    if (schedule.at.empty()) {
        return "every " + format_duration(schedule.interval);
    }
    std::vector<std::string> times;
    for (const auto time : schedule.at) {
        times.push_back(format_time_of_day(time));
    }
    auto text = fmt::format("at {}", fmt::join(times, ", "));
    return schedule.days.all() ? text : text + fmt::format(" on {} days a week", schedule.days.count());
}

double lists_of(const TableSize& size)
{
    return static_cast<double>(size.lists.value_or(1));
}

PlannedPasses full_passes(const config::Library& library, const config::Resource& resource, const TableSize& size)
{
    const auto& schedule = resource.full ? *resource.full : resource.schedule;
    return {library.name,
            resource.name,
            PlannedPasses::Kind::full,
            when(schedule),
            passes_a_minute(schedule),
            full_requests(library, resource, size),
            size.full_requests.has_value(),
            false,
            lists_of(size),
            1,
            lists_of(size)};
}

// Windows of one kind, each at the average cost. The length of a ledger that was not filled yet is unknown.
PlannedPasses windows(const config::Library& library, const config::Resource& resource, const TableSize& size,
                      PlannedPasses::Kind kind, const config::Schedule& schedule, double count)
{
    PlannedPasses passes{library.name, resource.name, kind,  when(schedule), passes_a_minute(schedule),
                         {},           false,         false, count};
    if (size.rows) {
        const auto rows = static_cast<double>(*size.rows) / static_cast<double>(size.windows);
        const auto pages = std::max(std::ceil(rows / library.service.page_size), 1.0);
        passes.requests = count * (pages > 1 ? pages + 1 : 1);
    }
    passes.least = kind == PlannedPasses::Kind::window ? 1 : 0;
    return passes;
}

// As in sync/plan/window_plan: the newest window and those that ended so recently that late rows may still come; then
// those within `back`; then the others, if `settle` is set.
void add_ledger(GroupPlan& group, const config::Library& library, const config::Resource& resource,
                const TableSize& size)
{
    using Kind = PlannedPasses::Kind;
    const auto all = static_cast<double>(size.windows);
    const auto step = static_cast<double>(resource.window->step.count());
    const auto steps = [&](Duration time) { return static_cast<double>(time.count()) / step; };
    const auto recent = std::min(1 + steps(schedule::lateness), all);  // on average
    const auto again = std::clamp(std::ceil(steps(resource.window->back)), 0.0, all - recent);
    const auto add = [&](Kind kind, const config::Schedule& schedule, double count) {
        group.passes.push_back(windows(library, resource, size, kind, schedule, count));
    };
    add(Kind::window, resource.schedule, recent);
    add(Kind::full, *resource.full, again);
    if (resource.settle) {
        const auto reach = resource.window->settle_back;
        const auto within = reach ? std::clamp(std::ceil(steps(*reach)), 0.0, all) : all;
        add(Kind::settle, *resource.settle, std::max(within - recent - again, 0.0));
    }
    group.all_known = group.all_known && size.rows;
    group.first_load_requests +=
        windows(library, resource, size, Kind::full, resource.schedule, all).requests.value_or(0);
}

// Every item once within `refresh_within`.
PlannedPasses details(const config::Library& library, const config::Resource& resource, const TableSize& size)
{
    const auto minutes = static_cast<double>(resource.detail->refresh_within.count()) / 60e6;
    PlannedPasses passes{library.name,
                         resource.name,
                         PlannedPasses::Kind::detail,
                         "every item in " + format_duration(resource.detail->refresh_within),
                         0,
                         std::nullopt,
                         false,
                         false};
    if (size.rows) {
        passes.passes_a_minute = static_cast<double>(*size.rows) / minutes;
        passes.requests = 1;
    }
    return passes;
}

// Ordinary passes, except those that full ones replace.
PlannedPasses incremental_passes(const config::Library& library, const config::Resource& resource,
                                 const TableSize& size)
{
    const auto full = resource.full ? passes_a_minute(*resource.full) : 0.0;
    auto requests = size.incremental_requests;
    if (!requests && (!resource.parent || size.lists)) {
        requests = lists_of(size);  // nearly always one page for each list
    }
    return {library.name,
            resource.name,
            PlannedPasses::Kind::incremental,
            when(resource.schedule),
            std::max(passes_a_minute(resource.schedule) - full, 0.0),
            requests,
            size.incremental_requests.has_value(),
            false,
            lists_of(size),
            1,
            lists_of(size)};
}

const config::Schedule& schedule_of(const config::Resource& resource, PlannedPasses::Kind kind)
{
    using Kind = PlannedPasses::Kind;
    return kind == Kind::full && resource.full       ? *resource.full
           : kind == Kind::settle && resource.settle ? *resource.settle
                                                     : resource.schedule;
}

// In quiet hours passes at intervals are left out, planned ones come later, and the queue of details rests, which has
// the less time for its items.
void keep_quiet(std::vector<PlannedPasses>& passes, std::size_t first, const config::Library& library)
{
    const auto spans = merge_spans(library.service.quiet);
    if (!spans || spans->empty()) {
        return;
    }
    constexpr double minutes_a_day = 24 * 60;
    double quiet = 0;
    std::vector<std::string> texts;
    for (const auto& span : *spans) {
        quiet += static_cast<double>(span.length().count());
        texts.push_back(format_time_span(span));
    }
    const double awake = 1 - quiet / minutes_a_day;
    for (auto pass = passes.begin() + static_cast<std::ptrdiff_t>(first); pass != passes.end(); ++pass) {
        const bool is_detail = pass->kind == PlannedPasses::Kind::detail;
        if (is_detail || schedule_of(*library.find_resource(pass->resource), pass->kind).at.empty()) {
            pass->awake = awake;
            pass->when += fmt::format(", not {}", fmt::join(texts, ", "));
            pass->passes_a_minute /= is_detail ? awake : 1;
        }
    }
}

bool is_personal(const config::Library& library)
{
    return library.application.token_kind == config::TokenKind::personal;
}

// Without `identity`, usually a list replaces it. Canaries for details are left out: many items share one.
double canaries(const config::Library& library, const std::vector<PlannedPasses>& passes)
{
    using Kind = PlannedPasses::Kind;
    config::PassRates rates;
    std::set<std::string> polled;
    for (const auto& resource : library.resources) {
        if (resource.incremental && !resource.parent) {
            polled.insert(resource.name);
        }
    }
    rates.polled = polled.size();
    for (const auto& one : passes) {
        if (one.library != library.name || one.kind == Kind::detail) {
            continue;
        }
        const bool is_poll = one.kind == Kind::incremental && polled.contains(one.resource);
        (is_poll ? rates.incremental : rates.whole) += one.passes_a_minute;
        rates.walks += one.passes_a_minute * one.walks;
    }
    return config::canaries_a_minute(rates, is_personal(library));
}

std::uint64_t count_windows(const config::Window& window, Instant now)
{
    const auto cut = schedule::Windows::load(window.since, window.step, window.timezone);
    return cut ? static_cast<std::uint64_t>(cut->at(now).number) + 1 : 1;
}

TableSize size_of(const PlannedLibrary& planned, const config::Resource& resource, Instant now)
{
    const auto known = [&](const std::string& name) {
        const auto found = planned.sizes.find(name);
        return found == planned.sizes.end() ? TableSize() : found->second;
    };
    auto size = known(resource.name);
    if (resource.parent) {
        size.lists = known(resource.parent->resource).rows;
    }
    size.windows = resource.window ? count_windows(*resource.window, now) : 1;
    return size;
}

void add_list(GroupPlan& group, const config::Library& library, const config::Resource& resource, const TableSize& size)
{
    if (resource.incremental) {
        group.passes.push_back(incremental_passes(library, resource, size));
    }
    auto full = full_passes(library, resource, size);
    group.all_known = group.all_known && full.requests;
    group.first_load_requests += full.requests.value_or(0);
    group.passes.push_back(std::move(full));
}

void add_library(GroupPlan& group, const PlannedLibrary& planned, Instant now)
{
    const auto& library = *planned.library;
    double walks = 0;  // of the first load
    const auto first = group.passes.size();
    for (const auto& resource : library.resources) {
        const auto size = size_of(planned, resource, now);
        walks += resource.window ? static_cast<double>(size.windows) : lists_of(size);
        if (resource.window) {
            add_ledger(group, library, resource, size);
        } else {
            add_list(group, library, resource, size);
        }
        if (resource.detail) {
            group.all_known = group.all_known && size.rows;
            group.passes.push_back(details(library, resource, size));
            group.first_load_requests += static_cast<double>(size.rows.value_or(0));
        }
    }
    keep_quiet(group.passes, first, library);
    const auto& quiet = library.service.quiet;
    group.quiet.insert(group.quiet.end(), quiet.begin(), quiet.end());
    const auto asked = canaries(library, group.passes);
    group.canaries_a_minute += asked;
    group.first_load_requests += asked <= 0 ? 0 : is_personal(library) ? 2 * walks : 2;
}

void find_starving(GroupPlan& group)
{
    group.requests_a_minute = group.canaries_a_minute;
    using Kind = PlannedPasses::Kind;
    for (const auto kind : {Kind::incremental, Kind::window, Kind::full}) {
        for (auto& one : group.passes) {
            if (one.kind == kind) {
                group.requests_a_minute += one.least_a_minute();
                one.starves = !group.fits() && one.least_a_minute() > 0;
            }
        }
    }
    // With budget::Purpose::rolling none precedes the others.
    const auto is_rolling = [](const auto& one) { return one.kind == Kind::settle || one.kind == Kind::detail; };
    for (const auto& one : group.passes) {
        group.requests_a_minute += is_rolling(one) ? one.least_a_minute() : 0;
    }
    for (auto& one : group.passes) {
        one.starves = one.starves || (is_rolling(one) && !group.fits() && one.least_a_minute() > 0);
    }
}

}  // namespace

std::optional<double> full_requests(const config::Library& library, const config::Resource& resource,
                                    const TableSize& size)
{
    if (size.full_requests) {
        return size.full_requests;
    }
    const auto lists = lists_of(size);
    const bool is_counted = resource.answers == config::Answers::list;
    if ((is_counted && !size.rows) || (resource.parent && !size.lists)) {
        return std::nullopt;
    }
    return config::full_pass_requests(library, resource, static_cast<double>(size.rows.value_or(0)), lists);
}

std::optional<Duration> GroupPlan::first_load() const
{
    if (!limit || *limit == 0) {
        return std::nullopt;
    }
    // The requests of the first minute are sent at once.
    const auto minutes = std::max(first_load_requests / *limit - 1.0, 0.0);
    return Duration(static_cast<std::int64_t>(minutes * 60e6));
}

std::vector<GroupPlan> plan_budget(const std::vector<PlannedLibrary>& libraries, Instant now)
{
    std::vector<GroupPlan> groups;
    for (const auto& planned : libraries) {
        const auto& library = *planned.library;
        if (library.paused) {
            continue;
        }
        const auto& name = library.limit_group();
        auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& one) { return one.name == name; });
        if (group == groups.end()) {
            group = groups.insert(groups.end(), GroupPlan{});
            group->name = name;
            group->limit = library.service.requests_per_minute;
            if (group->limit) {
                *group->limit -= std::min(library.service.leave, *group->limit - 1);
            }
        }
        add_library(*group, planned, now);
    }
    for (auto& group : groups) {
        find_starving(group);
    }
    return groups;
}

}  // namespace shelfd::ctl
