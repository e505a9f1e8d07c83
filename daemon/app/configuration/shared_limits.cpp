#include "app/configuration/shared_limits.hpp"

#include "app/stores/named_library.hpp"
#include "base/state/limit_notice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace shelfd::app {
namespace {

using Circle = std::vector<const config::Library*>;
// By origin and user.
using Circles = std::map<std::pair<std::string, std::string>, Circle>;

bool can_know_user(const config::Service& service)
{
    return (service.identity && !service.identity->user_field.empty()) || !service.introspection_path.empty();
}

LibraryUsers::All known_of(const config::Libraries& libraries, const LibraryUsers::All& users)
{
    LibraryUsers::All all;
    for (const auto& library : libraries) {
        auto known = users.find(library->name);
        known = known == users.end() && !library->formerly.empty() ? users.find(library->formerly) : known;
        if (known != users.end() && known->second.origin == library->service.base_url &&
            can_know_user(library->service)) {
            all.emplace(library->name, known->second);
        }
    }
    return all;
}

Circles circles_of(const config::Libraries& libraries, const LibraryUsers::All& users)
{
    Circles circles;
    for (const auto& library : libraries) {
        if (const auto known = users.find(library->name); known != users.end()) {
            circles[{known->second.origin, known->second.user}].push_back(library.get());
        }
    }
    return circles;
}

// Nobody has said which limit they use.
Circle without_own_groups(const Circle& circle, const config::Libraries& libraries)
{
    std::set<std::string> written;
    for (const auto& library : libraries) {
        if (const auto& group = library->service.limit_group; !group.empty() && group != library->name) {
            written.insert(group);
        }
    }
    Circle free;
    std::copy_if(circle.begin(), circle.end(), std::back_inserter(free), [&written](const auto* library) {
        const auto& group = library->service.limit_group;
        return (group.empty() || group == library->name) && !written.contains(library->name);
    });
    return free;
}

// The one that is in use already, or else that of the first library.
const std::string& group_for(const Circle& circle, const LibraryUsers::All& users)
{
    for (const auto* library : circle) {
        const auto& group = users.at(library->name).group;
        const auto is_called = [&group](const auto* one) { return one->name == group || one->formerly == group; };
        const auto found = std::find_if(circle.begin(), circle.end(), is_called);
        if (!group.empty() && found != circle.end()) {
            return (*found)->name;
        }
    }
    return circle.front()->name;
}

std::uint32_t allowed(const config::Service& service)
{
    return service.requests_per_minute ? *service.requests_per_minute - service.leave : UINT32_MAX;
}

config::SharedLimit limit_for(const Circle& circle, const LibraryUsers::All& users)
{
    const auto is_smaller = [](const auto* a, const auto* b) { return allowed(a->service) < allowed(b->service); };
    const auto has_less = [](const auto* a, const auto* b) { return a->service.in_flight < b->service.in_flight; };
    const auto& smallest = (*std::min_element(circle.begin(), circle.end(), is_smaller))->service;
    config::SharedLimit limit;
    limit.user = users.at(circle.front()->name).user;
    limit.group = group_for(circle, users);
    limit.requests_per_minute = smallest.requests_per_minute;
    limit.leave = smallest.leave;
    limit.in_flight = (*std::min_element(circle.begin(), circle.end(), has_less))->service.in_flight;
    return limit;
}

std::shared_ptr<const config::Library> with_limit(const std::shared_ptr<const config::Library>& library,
                                                  const std::optional<config::SharedLimit>& limit)
{
    if (library->shared_limit == limit) {
        return library;
    }
    auto changed = std::make_shared<config::Library>(*library);
    changed->shared_limit = limit;
    return changed;
}

// By group: the libraries that share its limit because they are one user.
std::map<std::string, std::vector<const config::Library*>> groups_of(const config::Libraries& libraries)
{
    std::map<std::string, std::vector<const config::Library*>> groups;
    for (const auto& library : libraries) {
        if (library->shared_limit) {
            groups[library->shared_limit->group].push_back(library.get());
        }
    }
    return groups;
}

std::vector<std::string> names_of(const std::vector<const config::Library*>& libraries)
{
    std::vector<std::string> names;
    std::transform(libraries.begin(), libraries.end(), std::back_inserter(names),
                   [](const auto* library) { return library->name; });
    return names;
}

// "antwerp, ghent and bruges"; "antwerp, bruges and 38 more".
std::string list(const std::vector<std::string>& names)
{
    constexpr std::size_t most = 4;
    if (names.size() < 2) {
        return names.empty() ? "" : names.front();
    }
    const auto shown = names.size() > most ? most - 1 : names.size() - 1;
    const auto last = names.size() > most ? fmt::format("{} more", names.size() - shown) : names.back();
    return fmt::format("{} and {}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                       last);
}

std::string rate_text(const config::SharedLimit& limit)
{
    return limit.requests_per_minute ? fmt::format("{} requests a minute", *limit.requests_per_minute - limit.leave)
                                     : "no limit";
}

}  // namespace

LimitSharing share_limits(const config::Libraries& libraries, const LibraryUsers::All& users)
{
    LimitSharing sharing{{}, known_of(libraries, users)};
    std::map<std::string, config::SharedLimit> limits;  // by library
    for (const auto& [who, circle] : circles_of(libraries, sharing.users)) {
        const auto free = without_own_groups(circle, libraries);
        if (free.size() < 2) {
            continue;
        }
        const auto limit = limit_for(free, sharing.users);
        for (const auto* library : free) {
            limits.emplace(library->name, limit);
        }
    }
    for (auto& [library, known] : sharing.users) {
        const auto limit = limits.find(library);
        known.group = limit == limits.end() ? "" : limit->second.group;
    }
    for (const auto& library : libraries) {
        const auto limit = limits.find(library->name);
        sharing.libraries.push_back(
            with_limit(library, limit == limits.end() ? std::nullopt : std::optional(limit->second)));
    }
    return sharing;
}

std::vector<std::string> describe_sharing(const config::Libraries& before, const config::Libraries& after)
{
    std::vector<std::string> lines;
    const auto former = groups_of(before);
    for (const auto& [group, libraries] : groups_of(after)) {
        const auto known = former.find(group);
        const auto& limit = *libraries.front()->shared_limit;
        if (known != former.end() && names_of(known->second) == names_of(libraries) &&
            known->second.front()->shared_limit == limit) {
            continue;
        }
        lines.push_back(fmt::format("{} are one user of {} ({}), whose requests the service counts together: they "
                                    "share one limit, {}",
                                    list(names_of(libraries)), libraries.front()->service.base_url, limit.user,
                                    rate_text(limit)));
    }
    for (const auto& library : before) {
        const auto* now = find_named(after, library->name);
        if (library->shared_limit && now != nullptr && !now->shared_limit) {
            lines.push_back(fmt::format("{} shares its request limit with no other library any more", library->name));
        }
    }
    return lines;
}

std::vector<control::Notice> describe_parted_limits(const config::Libraries& libraries, const LibraryUsers::All& users)
{
    std::vector<control::Notice> notices;
    for (const auto& [who, circle] : circles_of(libraries, known_of(libraries, users))) {
        std::map<std::string, std::vector<std::string>> groups;
        for (const auto* library : circle) {
            groups[library->limit_group()].push_back(library->name);
        }
        if (groups.size() < 2) {
            continue;
        }
        std::vector<std::string> texts;
        for (const auto& [group, names] : groups) {
            texts.push_back(fmt::format("{} (limit_group {})", list(names), group));
        }
        notices.push_back({fmt::format("{} are one user of {} ({}), whose requests the service counts together, but "
                                       "{}: give them the same limit_group and rate_limit, or remove limit_group, and "
                                       "they share one limit by themselves",
                                       list(texts), who.first, who.second, separate_limits),
                           "", std::nullopt});
    }
    return notices;
}

}  // namespace shelfd::app
