#include "ctl/status/problem_list.hpp"

#include "base/state/earliest.hpp"
#include "base/words/library_names.hpp"
#include "base/words/natural_order.hpp"
#include "base/words/shell_word.hpp"
#include "control/model/contacts.hpp"
#include "control/model/mask.hpp"
#include "control/model/pause_range.hpp"
#include "control/model/reason.hpp"
#include "ctl/status/selection.hpp"
#include "ctl/status/table_troubles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

namespace shelfd::ctl {
namespace {

using control::Affected;
using control::Cause;
using control::CauseKind;
using control::Severity;

// More groups of one kind than that are shown as one.
constexpr std::size_t groups_of_a_kind = 3;

// One group on the screen.
struct Group {
    CauseKind kind = CauseKind::service;
    Severity severity = Severity::info;
    std::vector<const Affected*> affected;
    std::vector<const Cause*> causes;
    std::size_t reasons = 1;
};

void join(Group& group, const Cause& problem, const Affected& one)
{
    group.kind = problem.kind;
    group.severity = std::max(group.severity, problem.severity);
    if (group.causes.empty() || group.causes.back() != &problem) {
        group.causes.push_back(&problem);
    }
    group.affected.push_back(&one);
}

// Without what stands between the two.
void leave_out(std::string& text, std::string_view begin, char end)
{
    if (const auto at = text.find(begin); at != std::string::npos) {
        text.erase(at, std::min(text.find(end, at), text.size() - 1) + 1 - at);
    }
}

// Apart from the names of the library and its tables, and how many tables that are.
std::string cure_of(const Affected& one)
{
    auto cure = one.do_this;
    leave_out(cure, control::same_for, ')');
    leave_out(cure, "[resource.", ']');
    return control::mask(cure, one.library, one.tables);
}

std::vector<Group> group_problems(const std::vector<Cause>& problems)
{
    using Key = std::tuple<CauseKind, Severity, std::string, std::string>;
    std::map<CauseKind, std::map<Key, Group>> kinds;
    for (const auto& problem : problems) {
        const auto& first = problem.affected.front();
        const auto why = control::mask(first.why, first.library, first.tables);
        for (const auto& one : problem.affected) {
            // Libraries of one cause may need different acts; a pause of the service is one problem for all.
            const auto cure = cure_of(problem.kind == CauseKind::limit ? first : one);
            join(kinds[problem.kind][Key(problem.kind, problem.severity, why, cure)], problem, one);
        }
    }
    std::vector<Group> groups;
    for (auto& [kind, alike] : kinds) {
        if (alike.size() <= groups_of_a_kind) {
            for (auto& [key, group] : alike) {
                groups.push_back(std::move(group));
            }
            continue;
        }
        auto& all = groups.emplace_back();
        all.kind = kind;
        std::set<std::string> reasons;
        for (const auto& [key, group] : alike) {
            reasons.insert(std::get<2>(key));
            all.severity = std::max(all.severity, group.severity);
            all.affected.insert(all.affected.end(), group.affected.begin(), group.affected.end());
            std::copy_if(group.causes.begin(), group.causes.end(), std::back_inserter(all.causes), [&all](auto* one) {
                return std::find(all.causes.begin(), all.causes.end(), one) == all.causes.end();
            });
        }
        all.reasons = reasons.size();
    }
    return groups;
}

bool has_one_cure(const Group& group)
{
    const auto& first = *group.affected.front();
    return std::all_of(group.affected.begin(), group.affected.end(),
                       [&first](const auto* one) { return one->do_this == first.do_this; });
}

// "until May"; of several libraries that do not have the same one, "antwerp: until May; ghent: a trial".
std::string notes_of(const Group& group)
{
    std::vector<std::string> named;
    std::set<std::string> notes;
    std::set<std::string> libraries;
    for (const auto* one : group.affected) {
        if (libraries.insert(one->library).second && !one->note.empty()) {
            notes.insert(one->note);
            named.push_back(fmt::format("{}: {}", one->library, one->note));
        }
    }
    const bool is_of_all = notes.size() == 1 && named.size() == libraries.size();
    return is_of_all ? *notes.begin() : fmt::format("{}", fmt::join(named, "; "));
}

std::string word_of(const Group& group)
{
    if (group.kind == CauseKind::bug) {
        return "bug";
    }
    if (group.kind == CauseKind::daemon) {
        return "";
    }
    if (group.kind == CauseKind::not_running) {
        return "not running";
    }
    // A state is said of all or of none.
    const auto& state = group.affected.front()->state;
    const bool is_shared = std::all_of(group.affected.begin(), group.affected.end(),
                                       [&state](const auto* one) { return one->state == state; });
    if (is_shared && state && *state != TableState::fresh) {
        return spaced(to_string(*state));
    }
    return group.kind == CauseKind::limit ? "" : std::string(control::title_of(group.kind));  // its reason says it
}

// Of a consumer that lags, `next` says until when changes are kept; syncing goes on.
std::optional<Instant> deadline_of(CauseKind kind, const control::Affected& affected)
{
    return kind == CauseKind::consumer_lag ? std::nullopt : affected.deadline;
}

Trouble from_group(Group group)
{
    std::stable_sort(group.affected.begin(), group.affected.end(),
                     [](const auto* a, const auto* b) { return natural_less(a->library, b->library); });
    const auto& first = *group.affected.front();
    const auto& cause = *group.causes.front();
    Trouble trouble;
    trouble.rank = group.kind == CauseKind::bug ? -1 : rank_of(group.severity);
    trouble.who = describe_who(group.affected);
    trouble.state = word_of(group);
    trouble.colour = group.severity == Severity::info || group.kind == CauseKind::late ? Colour::yellow : Colour::red;
    trouble.why = first.why;
    const auto others = group.reasons > 1 ? 0 : control::other_reasons(group.kind, group.affected);
    trouble.why += control::describe_other_reasons(others);
    if (group.reasons > 1) {
        trouble.why = fmt::format("{}, for {} different reasons; the first: {}", control::title_of(group.kind),
                                  group.reasons, first.why);
    }
    if (group.kind == CauseKind::limit) {
        // Each limit group of a service has its own pause.
        trouble.why = control::describe_pauses(group.affected);
        for (const auto* one : group.affected) {
            trouble.last_try = std::max(trouble.last_try, one->next_try);
        }
    }
    // The same cause may have begun earlier for libraries that are not in the group.
    const bool all_say_since =
        std::all_of(group.affected.begin(), group.affected.end(), [](const auto* one) { return one->since; });
    if (all_say_since) {
        for (const auto* one : group.affected) {
            take_earlier(trouble.since, one->since);
        }
    } else {
        for (const auto* one : group.causes) {
            take_earlier(trouble.since, one->since);
        }
    }
    for (const auto* one : group.affected) {
        take_earlier(control::is_deadline_of_table(*one) ? trouble.late_at : trouble.deadline,
                     deadline_of(group.kind, *one));
        take_earlier(trouble.next_try, one->next_try);
    }
    trouble.ends_for_all = std::all_of(group.affected.begin(), group.affected.end(), [&trouble](const auto* one) {
        return !control::is_deadline_of_table(*one) && one->deadline == trouble.deadline;
    });
    trouble.do_this = first.do_this;
    trouble.for_each = !has_one_cure(group);
    trouble.next = first.next;
    // Why a set is not refreshed is asked of the service, too.
    const bool is_of_machine = control::who_can_act(group.kind) == "operator" && group.kind != CauseKind::refresh;
    const bool has_more = group.affected.size() > named_libraries || group.reasons > 1;
    // Where many are in trouble and somebody here can act, --problem says whom else to ask.
    const auto contact = control::describe_contacts(group.affected);
    trouble.contact = is_of_machine || (has_more && !first.do_this.empty()) ? ""
                      : contact.empty()                                     ? cause.contact  // an earlier daemon
                                                                            : contact;
    trouble.note = has_more ? "" : notes_of(group);
    const bool shows_more = has_more || others > 0;
    trouble.id = shows_more && group.causes.size() == 1 ? problem_id(cause)
                 : shows_more                           ? std::string(to_string(group.kind))
                                                        : "";
    return trouble;
}

// Whether a problem says it already.
bool is_covered(const control::Notice& notice, const std::vector<Cause>& problems)
{
    return std::any_of(problems.begin(), problems.end(), [&notice](const Cause& problem) {
        const auto& first = problem.affected.front();
        return first.why == notice.text ||
               (problem.kind == CauseKind::not_running && notice.text.ends_with(first.why) &&
                notice.text.starts_with(first.library + " "));
    });
}

}  // namespace

std::string spaced(std::string_view word)
{
    std::string text(word);
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

namespace {

bool is_of_token_set(CauseKind kind)
{
    return kind == CauseKind::token_lost || kind == CauseKind::foreign_rotation || kind == CauseKind::application ||
           kind == CauseKind::refresh || kind == CauseKind::access_ends;
}

// The state is that of the worst table, or of the token set: it is said of tables only if it is that of all.
void forget_mixed_states(const StatusView& status, std::vector<Cause>& problems)
{
    std::map<std::pair<std::string_view, std::string_view>, TableState> states;
    for (const auto& library : status.libraries) {
        for (const auto& table : library.resources) {
            states[{library.name, table.name}] = table.state;
        }
    }
    for (auto& problem : problems) {
        for (auto& one : problem.affected) {
            const auto differs = [&](const auto& table) {
                const auto known = states.find({one.library, table});
                return known != states.end() && known->second != *one.state;
            };
            if (one.state && !is_of_token_set(problem.kind) &&
                std::any_of(one.tables.begin(), one.tables.end(), differs)) {
                one.state.reset();
            }
        }
    }
}

}  // namespace

std::vector<Trouble> find_troubles(const StatusView& status)
{
    std::vector<Cause> shown = status.problems;
    forget_mixed_states(status, shown);
    std::erase_if(shown, [](const Cause& problem) { return problem.kind == CauseKind::repaired; });
    std::vector<Trouble> troubles;
    for (auto& group : group_problems(shown)) {
        troubles.push_back(from_group(std::move(group)));
    }
    auto tables = find_table_troubles(status);
    std::move(tables.begin(), tables.end(), std::back_inserter(troubles));
    for (const auto& notice : status.notices) {
        if (!is_covered(notice, status.problems)) {
            Trouble trouble;
            trouble.rank = rank_of(notice.do_this.empty() ? Severity::info : Severity::ticket);
            trouble.who = "shelfd";
            trouble.why = notice.text;
            trouble.since = notice.since;
            trouble.do_this = notice.do_this;
            troubles.push_back(std::move(trouble));
        }
    }
    for (const auto& library : status.libraries) {
        for (const auto& repair : library.repairs) {
            Trouble trouble;
            trouble.rank = rank_of(Severity::info);
            trouble.who = library.name;
            trouble.state = "repaired";
            trouble.why = repair.text();
            trouble.since = repair.at;
            if (!repair.aside.empty()) {
                trouble.next =
                    "removes the old file in a week; to remove it now: sudo rm " + shell_word(repair.aside) + "*";
            }
            troubles.push_back(std::move(trouble));
        }
    }
    std::stable_sort(troubles.begin(), troubles.end(), [](const auto& a, const auto& b) {
        const auto at = [](const Trouble& one) { return one.deadline.value_or(Instant::from_micros(INT64_MAX)); };
        return std::pair(a.rank, at(a)) < std::pair(b.rank, at(b));
    });
    return troubles;
}

std::vector<Cause> problems_named(const StatusView& status, const std::string& id)
{
    std::vector<Cause> found;
    for (const auto& problem : status.problems) {
        if (problem_id(problem) == id || problem.incident == id || to_string(problem.kind) == id) {
            found.push_back(problem);
        }
    }
    return found;
}

}  // namespace shelfd::ctl
