#include "ctl/status/limit_text.hpp"

#include "base/pause.hpp"
#include "base/state/earliest.hpp"
#include "base/words/names.hpp"
#include "ctl/status/status_text.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace shelfd::ctl {

std::string limit_text(const control::BudgetStatus& budget)
{
    if (!budget.limit) {
        return "no limit";
    }
    auto text = requests_text(*budget.limit) + " a minute";
    if (!budget.narrowed_by.empty()) {
        text += ": " + budget.narrowed_by;
    }
    if (budget.configured && budget.configured != budget.limit) {
        text += fmt::format("; {} are configured", *budget.configured);
    }
    return text;
}

namespace {

constexpr Duration worth_telling = std::chrono::seconds(30);

// Passes that wait for the same reason.
struct Wait {
    std::vector<std::string> libraries;
    std::size_t passes = 0;
    std::optional<Instant> since;
    std::optional<Instant> until;
};

// Of all its libraries: what one of them has configured does not matter here.
std::string shared_limit_text(const control::BudgetStatus& budget)
{
    return budget.limit ? fmt::format("{} a minute, {} of them used now", requests_text(*budget.limit), budget.used)
                        : std::string("no limit");
}

// Libraries of which a problem says already that the service asked for a pause.
std::set<std::string> told_libraries(const StatusView& status)
{
    std::set<std::string> libraries;
    for (const auto& problem : status.problems) {
        for (const auto& one : problem.affected) {
            if (problem.kind == control::CauseKind::limit) {
                libraries.insert(one.library);
            }
        }
    }
    return libraries;
}

}  // namespace

std::vector<std::string> limit_lines(const StatusView& status)
{
    const auto told = told_libraries(status);
    std::map<std::string, Wait> waits;
    for (const auto& library : status.libraries) {
        const auto& budget = library.budget;
        const bool is_paused = budget.paused_until && *budget.paused_until > status.now;
        const auto reason = is_paused ? describe_pause(*budget.paused_until) : limit_text(budget);
        for (const auto& table : library.resources) {
            const auto since = table.running ? table.running->waits_for_limit_since : std::nullopt;
            if (!since || status.now - *since < worth_telling || told.contains(library.name)) {
                continue;
            }
            auto& wait = waits[reason];
            take_earlier(wait.since, since);
            take_earlier(wait.until, table.running->next_request_at);
            ++wait.passes;
            if (wait.libraries.empty() || wait.libraries.back() != library.name) {
                wait.libraries.push_back(library.name);
            }
        }
    }
    std::vector<std::string> lines;
    for (const auto& [reason, wait] : waits) {
        lines.push_back(
            fmt::format("{}: {} pass{} wait{} for the request limit since {} ({}){}: {}", list_some(wait.libraries, 1),
                        wait.passes, wait.passes == 1 ? "" : "es", wait.passes == 1 ? "s" : "",
                        wait.since->to_short_text(), ago(wait.since, status.now),
                        wait.until ? ", the next request starts " + ahead(wait.until, status.now) : "", reason));
    }
    return lines;
}

std::vector<std::string> shared_limit_lines(const StatusView& status)
{
    constexpr std::size_t most = 4;
    std::set<std::string> told;
    std::vector<std::string> lines;
    for (const auto& library : status.libraries) {
        const auto& budget = library.budget;
        const auto& names = budget.libraries;
        if (budget.user.empty() || names.size() < 2 || !told.insert(budget.group).second) {
            continue;
        }
        const auto shown = names.size() > most ? most - 1 : names.size() - 1;
        const auto last = names.size() > most ? fmt::format("{} more", names.size() - shown) : names.back();
        lines.push_back(fmt::format("{} and {} are one user of {} ({}) and share one limit ({}): {}",
                                    fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                                    last, library.origin, budget.user, budget.group, shared_limit_text(budget)));
    }
    return lines;
}

}  // namespace shelfd::ctl
