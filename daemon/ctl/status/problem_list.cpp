#include "ctl/status/problem_list.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::ctl {
namespace {

// A table that is filling is in trouble only if there is a reason.
bool is_trouble(const control::ResourceStatus& resource)
{
    if (resource.state == TableState::filling || resource.state == TableState::fresh) {
        return !resource.why.empty();
    }
    return !is_at_rest(resource.state);
}

int rank_of(TableState state)
{
    // Late precedes filling: a table that was once filled is missed sooner.
    const auto rank = state == TableState::late      ? TableState::filling
                      : state == TableState::filling ? TableState::late
                                                     : state;
    return static_cast<int>(rank);
}

// Tables with the same cause, by library.
struct Group {
    const control::ResourceStatus* first;
    std::vector<std::pair<const control::LibraryStatus*, std::vector<std::string>>> tables;
    std::optional<Instant> since;
};

std::string describe(const control::LibraryStatus& library, const std::vector<std::string>& tables)
{
    const auto all = std::count_if(library.resources.begin(), library.resources.end(),
                                   [](const auto& resource) { return resource.state != TableState::retired; });
    if (static_cast<std::size_t>(all) == tables.size() && all > 1) {
        return fmt::format("{} (all {} tables)", library.name, all);
    }
    constexpr std::size_t shown = 3;
    const auto count = static_cast<std::ptrdiff_t>(std::min(shown, tables.size()));
    auto text = fmt::format("{} {}", library.name, fmt::join(tables.begin(), tables.begin() + count, ", "));
    if (tables.size() > shown) {
        text += fmt::format(" and {} more", tables.size() - shown);
    }
    return text;
}

void add_to_groups(std::vector<Group>& groups, const control::LibraryStatus& library,
                   const control::ResourceStatus& resource)
{
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& one) {
        return one.first->state == resource.state && one.first->why == resource.why &&
               (one.first->do_this == resource.do_this || one.tables.back().first == &library);
    });
    if (group == groups.end()) {
        group = groups.insert(groups.end(), {&resource, {}, resource.since});
    }
    if (group->tables.empty() || group->tables.back().first != &library) {
        group->tables.push_back({&library, {}});
    }
    group->tables.back().second.push_back(resource.name);
    if (resource.since && (!group->since || *resource.since < *group->since)) {
        group->since = resource.since;
    }
}

Trouble from_group(const Group& group)
{
    std::vector<std::string> who;
    for (const auto& [library, tables] : group.tables) {
        who.push_back(describe(*library, tables));
    }
    const auto& resource = *group.first;
    return {rank_of(resource.state),
            fmt::format("{}", fmt::join(who, "; ")),
            spaced(to_string(resource.state)),
            resource.state == TableState::late ? Colour::yellow : Colour::red,
            resource.why,
            group.since,
            std::nullopt,
            resource.do_this};
}

Trouble from_token(const control::LibraryStatus& library)
{
    const auto& token = library.token;
    const auto waiting = std::count_if(library.resources.begin(), library.resources.end(),
                                       [](const auto& resource) { return resource.state == TableState::needs_person; });
    auto who = library.name;
    if (waiting > 0) {
        who += fmt::format(" ({} table{})", waiting, waiting == 1 ? "" : "s");
    }
    return {rank_of(TableState::needs_person),
            std::move(who),
            "needs person",
            Colour::red,
            token.reason,
            token.since,
            token.deadline,
            token.do_this};
}

Trouble from_snapshot(const control::LibraryStatus& library)
{
    const auto& snapshot = library.snapshot;
    auto what = snapshot.made_at ? fmt::format("the snapshot is of {}: ", snapshot.made_at->to_short_text())
                                 : std::string("there is no snapshot: ");
    return {rank_of(TableState::late),
            library.name,
            "no snapshot",
            Colour::red,
            what + snapshot.trouble,
            snapshot.since,
            std::nullopt,
            "shelfctl snapshot " + library.name + ", after correcting that"};
}

Trouble from_identity(const control::LibraryStatus& library)
{
    return {rank_of(TableState::late),
            library.name,
            "not verified",
            Colour::red,
            library.identity_trouble,
            std::nullopt,
            std::nullopt,
            "set identity = { path, field } of the service to a page that names the library and refuses a wrong token, "
            "then: shelfctl reload"};
}

// Before all other trouble, which may follow from the bug.
Trouble from_bug(const control::LibraryStatus& library)
{
    const auto& bug = *library.bug;
    auto why = bug.what;
    if (bug.times > 1) {
        why += fmt::format(", {} times", bug.times);
    }
    why += fmt::format("; its token set is kept, and the daemon restarts it at {}", bug.again_at.to_short_text());
    return {-1, library.name, "bug", Colour::red, std::move(why), bug.since, std::nullopt, bug.do_this};
}

}  // namespace

std::string spaced(std::string_view word)
{
    std::string text(word);
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

std::vector<Trouble> find_troubles(const StatusView& status)
{
    std::vector<Trouble> troubles;
    std::vector<Group> groups;
    for (const auto& library : status.libraries) {
        if (library.bug) {
            troubles.push_back(from_bug(library));
        }
        if (library.token.needs_person) {
            troubles.push_back(from_token(library));
        }
        if (!library.snapshot.trouble.empty()) {
            troubles.push_back(from_snapshot(library));
        }
        if (!library.identity_trouble.empty()) {
            troubles.push_back(from_identity(library));
        }
        for (const auto& repair : library.repairs) {
            troubles.push_back({rank_of(TableState::filling), library.name, "repaired", Colour::red,
                                fmt::format("the mirror {}; {}", repair.found, repair.done), repair.at, std::nullopt,
                                ""});
        }
        for (const auto& resource : library.resources) {
            const bool part_of_token = library.token.needs_person && resource.state == TableState::needs_person;
            if (is_trouble(resource) && !part_of_token) {
                add_to_groups(groups, library, resource);
            }
        }
    }
    for (const auto& group : groups) {
        troubles.push_back(from_group(group));
    }
    for (const auto& notice : status.notices) {
        troubles.push_back({rank_of(TableState::held), "shelfd", "", Colour::red, notice.text, notice.since,
                            std::nullopt, notice.do_this});
    }
    std::stable_sort(troubles.begin(), troubles.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
    return troubles;
}

}  // namespace shelfd::ctl
