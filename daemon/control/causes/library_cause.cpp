#include "control/causes/library_cause.hpp"

#include "control/causes/wal_cause.hpp"

#include <fmt/core.h>

#include <string>
#include <utility>

namespace shelfd::control {
namespace {

constexpr Duration pause_is_news = std::chrono::seconds(30);
constexpr Duration repair_is_news = std::chrono::hours(24);

}  // namespace

std::vector<Finding> find_library_causes(const LibraryStatus& library, Instant now)
{
    std::vector<Finding> found;
    const auto of_library = [&library](CauseKind kind, std::string scope, std::string why) {
        Finding one{kind, std::move(scope)};
        one.library = library.name;
        one.why = std::move(why);
        return one;
    };
    if (const auto until = library.budget.paused_until; until && *until - now >= pause_is_news) {
        auto one = of_library(CauseKind::limit, library.budget.group,
                              fmt::format("rate limited by the service: no requests until {}", until->to_short_text()));
        one.origin = library.origin;
        one.severity = Severity::info;
        one.next_try = until;
        found.push_back(std::move(one));
    }
    if (!library.snapshot.trouble.empty()) {
        const auto& made_at = library.snapshot.made_at;
        const auto age = made_at ? "the snapshot is of " + made_at->to_short_text() : "there is no snapshot";
        auto one = of_library(CauseKind::snapshot, "", fmt::format("{}: {}", age, library.snapshot.trouble));
        one.do_this = "shelfctl snapshot " + library.name + ", after correcting that";
        one.next = "tries again every ten minutes";
        one.since = library.snapshot.since;
        found.push_back(std::move(one));
    }
    if (!library.identity_trouble.empty()) {
        auto one = of_library(CauseKind::identity, library.origin, library.identity_trouble);
        one.origin = library.origin;
        one.do_this = "set identity = { path, field } of the service to a page that names the library and refuses a "
                      "wrong token, then: shelfctl reload";
        one.next = "continues, and keeps rows that a list no longer shows";
        found.push_back(std::move(one));
    }
    if (auto wal = find_pinned_wal(library, now)) {
        found.push_back(std::move(*wal));
    }
    for (const auto& repair : library.repairs) {
        if (now - repair.at > repair_is_news) {
            continue;
        }
        auto one = of_library(CauseKind::repaired, library.name + " " + repair.at.to_text(), repair.text());
        one.severity = Severity::info;
        one.since = repair.at;
        one.momentary = true;
        found.push_back(std::move(one));
    }
    return found;
}

}  // namespace shelfd::control
