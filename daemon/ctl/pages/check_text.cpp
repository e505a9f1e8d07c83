#include "ctl/pages/check_text.hpp"

#include "base/words/safe_text.hpp"
#include "ctl/status/problem_list.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace shelfd::ctl {
namespace {

constexpr std::size_t most_problems = 10;  // plugins are cut at 4 KiB or 8 KiB

// One line; a bar would begin performance data.
std::string line_of(std::string_view text)
{
    auto line = escape_line(text);
    std::replace(line.begin(), line.end(), '|', '/');
    return line;
}

const char* word_of(ExitCode code)
{
    switch (code) {
    case ExitCode::done: return "OK";
    case ExitCode::failed: return "WARNING";
    case ExitCode::needs_person: return "CRITICAL";
    default: return "UNKNOWN";
    }
}

std::string performance(const StatusView& status)
{
    std::map<TableState, std::size_t> counts;
    std::size_t tables = 0;
    std::optional<Instant> oldest;
    for (const auto& library : status.libraries) {
        for (const auto& table : library.resources) {
            ++counts[table.state];
            tables += table.state == TableState::retired ? 0 : 1;
            if (!is_at_rest(table.state) && !table.detail && table.as_of) {
                oldest = std::min(oldest.value_or(*table.as_of), *table.as_of);
            }
        }
    }
    auto text = fmt::format("libraries={} tables={}", status.libraries.size(), tables);
    for (const auto state :
         {TableState::fresh, TableState::late, TableState::filling, TableState::held, TableState::forbidden,
          TableState::needs_person, TableState::wrong_library, TableState::paused}) {
        text += fmt::format(" {}={}", to_string(state), counts[state]);
    }
    if (oldest) {
        const auto age = std::chrono::floor<std::chrono::seconds>(status.now - *oldest).count();
        text += fmt::format(" oldest={}s", std::max<std::int64_t>(age, 0));
    }
    return text;
}

}  // namespace

std::string check_text(const StatusView& status, ExitCode code)
{
    const auto troubles = find_troubles(status);
    const auto headline = !status.headline.empty() ? status.headline
                          : troubles.empty()       ? std::string("no trouble")
                                                   : fmt::format("{}: {}", troubles[0].who, troubles[0].state);
    auto text = fmt::format("SHELFD {}: {} | {}\n", word_of(code), line_of(headline), performance(status));
    for (std::size_t i = 0; i < std::min(troubles.size(), most_problems); ++i) {
        const auto& one = troubles[i];
        text += line_of(fmt::format("{}{}{}: {}{}", one.who, one.state.empty() ? "" : ": ", one.state, one.why,
                                    one.do_this.empty() ? "" : "; do this: " + one.do_this)) +
                "\n";
    }
    if (troubles.size() > most_problems) {
        text += fmt::format("and {} more: shelfctl status\n", troubles.size() - most_problems);
    }
    return text;
}

std::string check_unknown(std::string_view why)
{
    return fmt::format("SHELFD UNKNOWN: {}\n", line_of(why));
}

}  // namespace shelfd::ctl
