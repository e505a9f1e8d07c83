#include "ctl/status/limit_text.hpp"

#include "ctl/status/status_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

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

std::string limits_text(const StatusView& status)
{
    constexpr Duration worth_telling = std::chrono::seconds(30);
    struct Wait {
        std::vector<std::string> libraries;
        std::size_t passes = 0;
        Instant since;
        std::optional<Instant> until;
    };
    std::map<std::string, std::pair<const control::BudgetStatus*, Wait>> groups;
    for (const auto& library : status.libraries) {
        for (const auto& table : library.resources) {
            const auto since = table.running ? table.running->waits_for_limit_since : std::nullopt;
            if (!since || status.now - *since < worth_telling) {
                continue;
            }
            auto& [budget, wait] = groups[library.budget.group];
            budget = &library.budget;
            wait.since = wait.passes == 0 ? *since : std::min(wait.since, *since);
            wait.until = table.running->next_request_at;
            ++wait.passes;
            if (wait.libraries.empty() || wait.libraries.back() != library.name) {
                wait.libraries.push_back(library.name);
            }
        }
    }
    std::string text;
    for (const auto& [group, shown] : groups) {
        const auto& [budget, wait] = shown;
        const auto more = wait.libraries.size() - 1;
        text += fmt::format(
            "{}{}: {} pass{} wait{} for the request limit since {} ({}){}: {}\n", wait.libraries.front(),
            more > 0 ? fmt::format(" and {} more", more) : "", wait.passes, wait.passes == 1 ? "" : "es",
            wait.passes == 1 ? "s" : "", wait.since.to_short_text(), ago(wait.since, status.now),
            wait.until ? ", the next request starts " + ahead(wait.until, status.now) : "", limit_text(*budget));
    }
    return text.empty() ? "" : text + "\n";
}

}  // namespace shelfd::ctl
