#include "control/model/status.hpp"

#include "base/words/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace shelfd::control {
namespace {

// "a, b, c and 4 more"
std::string list(const std::vector<std::string>& names)
{
    constexpr std::size_t shown = 3;
    constexpr std::size_t width = 44;  // of the first of many
    auto count = std::min(shown, names.size());
    const auto width_of = [&names](std::size_t first) {
        return std::accumulate(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(first), std::size_t{0},
                               [](std::size_t sum, const auto& name) { return sum + name.size() + 2; });
    };
    while (names.size() > shown && count > 1 && width_of(count) > width) {
        --count;
    }
    return list_some(names, count);
}

// Adds the tables in that state as "library resource", or only the library's name if all of its tables are.
void add_names(std::vector<std::string>& names, const LibraryStatus& library, State state)
{
    std::vector<std::string> tables;
    std::size_t counted = 0;
    for (const auto& resource : library.resources) {
        counted += resource.state != State::retired ? 1 : 0;
        if (resource.state == state) {
            tables.push_back(library.name + " " + resource.name);
        }
    }
    if (!tables.empty() && tables.size() == counted) {
        names.push_back(library.name);
        return;
    }
    names.insert(names.end(), tables.begin(), tables.end());
}

std::string describe(const std::string& name, const Running& running)
{
    auto text = running.stands_still ? name + " makes no progress" : "reading " + name;
    if (const auto place = describe_place(running); !place.empty()) {
        text += ", " + place;
    }
    if (running.eta) {
        text += fmt::format(", {} left", describe_duration(*running.eta));
    }
    return text;
}

// The title of a problem says already why the pass does not advance.
bool is_told(const Status& status, const LibraryStatus& library, const ResourceStatus& table)
{
    const auto& pause = library.budget.paused_until;
    const bool is_paused = pause && *pause > status.now;  // which holds for all of its tables
    const auto is_of_it = [&](const Affected& one) {
        const auto& tables = one.tables;
        return one.library == library.name &&
               (tables.empty() || is_paused || std::find(tables.begin(), tables.end(), table.name) != tables.end());
    };
    return std::any_of(status.problems.begin(), status.problems.end(), [&](const Cause& problem) {
        const bool is_outage = problem.kind == CauseKind::service || problem.kind == CauseKind::network;
        return (problem.kind == CauseKind::limit || (is_outage && table.running->stands_still)) &&
               std::any_of(problem.affected.begin(), problem.affected.end(), is_of_it);
    });
}

// Describes one pass for all: one that does not advance, if there is one of which no problem says why.
std::string describe_running(const Status& status)
{
    std::string text;
    for (const auto& library : status.libraries) {
        for (const auto& resource : library.resources) {
            const auto& running = resource.running;
            if (!running || is_told(status, library, resource)) {
                continue;
            }
            if (text.empty() || running->stands_still) {
                text = describe(library.name + " " + resource.name, *running);
            }
            if (running->stands_still) {
                return text;
            }
        }
    }
    return text;
}

struct Count {
    std::size_t tables = 0;  // without retired and paused ones
    std::size_t fresh = 0;
};

Count count_tables(const Status& status)
{
    Count count;
    for (const auto& library : status.libraries) {
        for (const auto& resource : library.resources) {
            if (!is_at_rest(resource.state)) {
                ++count.tables;
                count.fresh += resource.state == State::fresh ? 1 : 0;
            }
        }
    }
    return count;
}

// Token sets that wait for a person while their tables still advance, so that no table's state shows it yet.
std::vector<std::string> waiting_sets(const Status& status)
{
    std::vector<std::string> names;
    for (const auto& library : status.libraries) {
        const auto state = state_of(library);
        if (library.token.needs_person && state != State::needs_person && state != State::wrong_library) {
            auto name = library.name + "'s token set";
            if (library.token.deadline) {
                name += fmt::format(" (by {})", library.token.deadline->to_short_text());
            }
            names.push_back(std::move(name));
        }
    }
    return names;
}

// Sets without an access token that works, while the service does not refresh them: nothing is fetched meanwhile.
std::vector<std::string> stalled_sets(const Status& status)
{
    std::vector<std::string> names;
    for (const auto& library : status.libraries) {
        const auto& token = library.token;
        if (!token.needs_person && !token.access_usable &&
            (token.state == TokenState::in_doubt || token.state == TokenState::waiting)) {
            names.push_back(library.name);
        }
    }
    return names;
}

template <typename Member>
std::vector<std::string> libraries_with(const Status& status, Member member)
{
    std::vector<std::string> names;
    for (const auto& library : status.libraries) {
        if (library.*member) {
            names.push_back(library.name);
        }
    }
    return names;
}

std::string describe_fresh(const Status& status)
{
    const auto count = count_tables(status);
    if (count.tables == 0) {
        return "";
    }
    if (count.fresh == count.tables) {
        return fmt::format("{} fresh", count.tables == 1 ? "1 table" : fmt::format("all {} tables", count.tables));
    }
    return fmt::format("{} of {} tables fresh", count.fresh, count.tables);
}

// Whether the words for token sets, tables or libraries of the headline say it.
bool has_words_of_its_own(const Cause& problem)
{
    switch (problem.kind) {
    case CauseKind::token_lost:
    case CauseKind::foreign_rotation:
    case CauseKind::wrong_library:
    case CauseKind::application:
    case CauseKind::refresh:
    case CauseKind::access_ends:
    case CauseKind::bug:
    case CauseKind::not_running:
    case CauseKind::late: return true;
    // That tables are filling, late or held does not show it.
    case CauseKind::service:
    case CauseKind::network: return false;
    default: break;
    }
    return std::all_of(problem.affected.begin(), problem.affected.end(),
                       [](const Affected& one) { return one.state && *one.state != State::fresh; });
}

// What is wrong although tables do not show it, or not yet: the worst first.
std::vector<std::string> titles_of_problems(const Status& status)
{
    std::vector<std::string> titles;
    for (const auto severity : {Severity::page, Severity::ticket, Severity::info}) {
        for (const auto& problem : status.problems) {
            const bool is_of_way = problem.kind == CauseKind::service || problem.kind == CauseKind::network ||
                                   problem.kind == CauseKind::limit;
            const std::string title(title_of(problem.kind));
            if (problem.severity == severity && !problem.momentary && !has_words_of_its_own(problem) &&
                (severity != Severity::info || is_of_way) &&
                std::find(titles.begin(), titles.end(), title) == titles.end()) {
                titles.push_back(title);
            }
        }
    }
    return titles;
}

}  // namespace

std::string describe_place(const Running& running)
{
    std::string text = running.lists > 0 ? fmt::format("list {} of {}", running.list, running.lists) : "";
    if (running.page > 0) {
        text += fmt::format("{}page {}", text.empty() ? "" : ", ", running.page);
        text += running.pages >= running.page ? fmt::format(" of {}", running.pages) : "";
    }
    return text;
}

const char* to_string(RunResult result)
{
    return result == RunResult::published ? "published" : "failed";
}

const char* to_string(TokenKind kind)
{
    return kind == TokenKind::personal ? "personal" : "service_account";
}

State state_of(const LibraryStatus& library)
{
    std::optional<State> worst;
    bool paused = false;
    for (const auto& resource : library.resources) {
        if (resource.state == State::paused) {
            paused = true;
        } else if (resource.state != State::retired) {
            worst = std::min(worst.value_or(State::fresh), resource.state);
        }
    }
    return worst.value_or(paused ? State::paused : State::filling);
}

const char* state_word(const LibraryStatus& library)
{
    return library.restart ? "restarting" : library.bug ? "bug" : to_string(state_of(library));
}

namespace {

// Trouble that no table shows yet, and about which a person can do something: a full disk, a refused reload, a set that
// ends, a network that does not answer.
bool asks_for_an_act(const Cause& problem, std::string_view library)
{
    const auto is_named = [&](const Affected& one) { return library.empty() || one.library == library; };
    // Where syncing ends soon, that is no success, even if nobody here can do anything.
    const bool is_page = problem.severity == Severity::page;
    // What has happened and is over asks for nothing.
    return (problem.severity != Severity::info || !problem.momentary) &&
           std::any_of(problem.affected.begin(), problem.affected.end(),
                       [&](const Affected& one) { return is_named(one) && (is_page || !one.do_this.empty()); });
}

std::size_t count_acts(const Status& status, std::string_view library)
{
    return static_cast<std::size_t>(
        std::count_if(status.problems.begin(), status.problems.end(),
                      [&](const Cause& problem) { return asks_for_an_act(problem, library); }));
}

}  // namespace

ExitCode exit_code(const Status& status, std::string_view library)
{
    const auto is_asked_for = [&](const auto& name) { return library.empty() || name == library; };
    const bool is_absent = std::any_of(status.absent.begin(), status.absent.end(), is_asked_for);
    auto code = is_absent                         ? ExitCode::needs_person
                : count_acts(status, library) > 0 ? ExitCode::failed
                                                  : ExitCode::done;
    for (const auto& one : status.libraries) {
        if (!library.empty() && one.name != library) {
            continue;
        }
        code = std::max(code, one.token.needs_person || one.bug ? ExitCode::needs_person : ExitCode::done);
        for (const auto& resource : one.resources) {
            const bool behind = resource.state == State::late || resource.state == State::filling ||
                                (resource.state == State::fresh && !resource.do_this.empty());
            code = std::max(code, needs_somebody(resource.state) ? ExitCode::needs_person
                                  : behind                       ? ExitCode::failed
                                                                 : ExitCode::done);
        }
    }
    return code;
}

std::string headline(const Status& status)
{
    if (status.libraries.empty() && status.absent.empty()) {
        return "no library is configured; to add one: shelfctl library add NAME";
    }
    std::vector<std::string> parts;
    if (!status.absent.empty()) {
        parts.push_back(fmt::format("not running: {}", list(status.absent)));
    }
    if (const auto names = libraries_with(status, &LibraryStatus::restart); !names.empty()) {
        parts.push_back(fmt::format("being opened again: {}", list(names)));
    }
    if (const auto names = libraries_with(status, &LibraryStatus::bug); !names.empty()) {
        parts.push_back(fmt::format("stopped by a bug: {}", list(names)));
    }
    for (const auto state : {State::wrong_library, State::needs_person, State::forbidden, State::held, State::late,
                             State::filling, State::paused}) {
        std::vector<std::string> names;
        for (const auto& library : status.libraries) {
            add_names(names, library, state);
        }
        if (!names.empty()) {
            parts.push_back(fmt::format("{}: {}", for_people(state), list(names)));
        }
        if (state == State::needs_person) {
            if (const auto sets = waiting_sets(status); !sets.empty()) {
                parts.push_back(fmt::format("needs a person soon: {}", list(sets)));
            }
            if (const auto sets = stalled_sets(status); !sets.empty()) {
                parts.push_back(fmt::format("waits for a token: {}", list(sets)));
            }
        }
    }
    for (auto& title : titles_of_problems(status)) {
        parts.push_back(std::move(title));
    }
    // Otherwise all would seem well where the exit code says that it is not.
    const auto acts = parts.empty() ? count_acts(status, "") : 0;
    const auto more = acts > 0 ? fmt::format("{} problem{}", acts, acts == 1 ? "" : "s") : "";
    for (auto text : {describe_fresh(status), more, describe_running(status)}) {
        if (!text.empty()) {
            parts.push_back(std::move(text));
        }
    }
    return parts.empty() ? "no table is configured" : fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace shelfd::control
