#include "app/report/budget_report.hpp"

#include "app/pace/schedule_need.hpp"
#include "app/report/lateness.hpp"
#include "sync/library/token_kind.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

namespace shelfd::app {
namespace {

// Zero if it sends nothing for now, or if the limit is a lower one only until the refusals of the service are
// forgotten.
double needed_by(const LibraryUnit& unit, const budget::LimiterStatus& limiter)
{
    const auto set = unit.keeper().status();
    if (!limiter.limit || limiter.narrowing == budget::Narrowing::learned || !set.access_usable) {
        return 0;
    }
    std::map<std::string, TableDemand> tables;
    for (const auto& worker : unit.tables().lists()) {
        const auto& report = worker->report();
        const bool is_stopped = report.trouble != sync::Trouble::none && report.trouble != sync::Trouble::passing;
        tables[worker->name()] = {report.summary.rows, report.summary.full_requests, is_stopped};
    }
    return requests_needed(unit.library(), tables, sync::is_personal(unit.library(), set));
}

// "" if the limit in force is the configured one.
std::string describe_narrowing(const budget::LimiterStatus& limiter)
{
    switch (limiter.narrowing) {
    case budget::Narrowing::none: break;
    case budget::Narrowing::named:
        return limiter.left == 0 || !limiter.named
                   ? "the answers of the service name this limit"
                   : fmt::format("the answers of the service name {}, and the configuration leaves {} of them to other "
                                 "programs (leave)",
                                 *limiter.named, limiter.left);
    case budget::Narrowing::learned:
        return fmt::format("the service refused more (429), so the daemon sends no more until {}",
                           limiter.narrowed_until ? limiter.narrowed_until->to_short_text() : "later");
    case budget::Narrowing::left: return "the configuration leaves the rest to other programs (leave)";
    case budget::Narrowing::shared: return fmt::format("other programs use {} of the limit", limiter.foreign);
    }
    return "";
}

}  // namespace

control::BudgetStatus report_budget(const LibraryUnit& unit)
{
    const auto limiter = unit.limiter().status();
    const auto& library = unit.library();
    control::BudgetStatus status;
    status.group = library.limit_group();
    status.user = library.shared_limit ? library.shared_limit->user : "";
    status.limit = limiter.limit;
    status.configured = library.service.requests_per_minute;
    status.narrowed_by = describe_narrowing(limiter);
    if (status.narrowed_by.empty() && status.configured != limiter.configured) {
        status.narrowed_by = "a library of the same user has a lower rate_limit";
    }
    status.waiting = limiter.waiting;
    status.used = limiter.used;
    status.in_flight = limiter.in_flight;
    status.requests = limiter.requests;
    status.paused_until = limiter.paused_until;
    status.foreign = limiter.foreign;
    status.needed = needed_by(unit, limiter);  // of this library
    return status;
}

void report_sharers(std::vector<control::LibraryStatus>& libraries)
{
    std::map<std::string, std::vector<std::string>> groups;
    std::map<std::string, double> needed;
    for (const auto& library : libraries) {
        groups[library.budget.group].push_back(library.name);
        needed[library.budget.group] += library.budget.needed;
    }
    for (auto& library : libraries) {
        const auto& names = groups[library.budget.group];
        library.budget.needed = needed[library.budget.group];
        if (!library.budget.group.empty() && names.size() > 1) {
            library.budget.libraries = names;
        }
    }
}

std::vector<control::RequestCount> report_requests(const LibraryUnit& unit)
{
    std::vector<control::RequestCount> counts;
    for (const auto& [resource, tally] : unit.sent().tallies()) {
        for (std::size_t i = 0; i < budget::reasons; ++i) {
            const auto reason = static_cast<budget::Reason>(i);
            if (tally.of(reason) > 0) {
                counts.push_back({resource, to_string(reason), tally.of(reason)});
            }
        }
    }
    // The keeper counts its exchanges itself.
    if (const auto refreshes = unit.keeper().status().exchanges.attempts(); refreshes > 0) {
        counts.push_back({"", "refresh", refreshes});
    }
    return counts;
}

std::vector<control::Notice> report_limiters(const Limiters& limiters)
{
    std::vector<control::Notice> notices;
    for (const auto& [group, limiter] : limiters.by_group()) {
        const auto status = limiter->status();
        if (status.limit && status.foreign >= std::max(*status.limit / 10, 1u)) {
            notices.push_back(
                {fmt::format("other programs use {} of the {} requests a minute of {}; the daemon uses the rest",
                             status.foreign, *status.limit, group),
                 "", std::nullopt});
        }
        if (const auto error = status.log_errno; error != 0) {
            notices.push_back({fmt::format("cannot record the requests that {} has sent: {}; after a crash the daemon "
                                           "may exceed the limit for a minute",
                                           group, std::strerror(error)),
                               "free space on the disk of storage.mirrors", std::nullopt});
            notices.back().is_full_disk = error == ENOSPC;
        }
    }
    return notices;
}

std::string describe_limit(const budget::LimiterStatus& limiter)
{
    if (!limiter.limit) {
        return "";
    }
    auto text = fmt::format("{} request{} a minute", *limiter.limit, *limiter.limit == 1 ? "" : "s");
    if (const auto why = describe_narrowing(limiter); !why.empty()) {
        text += fmt::format(": {}", why);
        text += limiter.configured != limiter.limit ? fmt::format("; {} are configured", *limiter.configured) : "";
    }
    return text;
}

}  // namespace shelfd::app
