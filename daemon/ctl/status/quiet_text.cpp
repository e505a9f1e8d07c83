#include "ctl/status/quiet_text.hpp"

#include "ctl/status/status_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace shelfd::ctl {
namespace {

// When the first of its lists goes on; empty if one of them need not wait.
std::optional<Instant> waits_until(const control::LibraryStatus& library)
{
    std::optional<Instant> first;
    for (const auto& table : library.resources) {
        if (is_at_rest(table.state) || table.detail) {
            continue;
        }
        if (!table.quiet_until) {
            return std::nullopt;
        }
        first = std::min(first.value_or(*table.quiet_until), *table.quiet_until);
    }
    return first;
}

}  // namespace

std::string next_text(const control::ResourceStatus& table, Instant now)
{
    return table.running ? "running" : ahead(table.next_due, now) + (table.quiet_until ? " (quiet hours)" : "");
}

std::string quiet_text(const StatusView& status)
{
    constexpr std::size_t most = 3;
    std::map<Instant, std::vector<std::string>> waiting;
    for (const auto& library : status.libraries) {
        if (const auto until = waits_until(library)) {
            waiting[*until].push_back(library.name);
        }
    }
    std::string text;
    for (const auto& [until, libraries] : waiting) {
        const bool is_one = libraries.size() == 1;
        auto names = libraries;
        if (libraries.size() > most) {
            names.resize(most - 1);
            names.push_back(fmt::format("{} others", libraries.size() - names.size()));
        }
        text += fmt::format("{} wait{} for the end of the quiet hours at {}; to sync now: shelfctl sync {}\n",
                            fmt::join(names, ", "), is_one ? "s" : "", until.to_short_text(),
                            is_one ? libraries.front() : "LIBRARY");
    }
    return text.empty() ? "" : text + "\n";
}

}  // namespace shelfd::ctl
