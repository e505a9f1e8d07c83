#include "config/model/model.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace shelfd::config {

const std::string& Library::limit_group() const
{
    const auto& group = shared_limit ? shared_limit->group : service.limit_group;
    return group.empty() ? name : group;
}

std::vector<std::string> Library::wanted_scopes() const
{
    std::vector<std::string> scopes;
    const auto add = [&scopes](const std::string& scope) {
        if (!scope.empty() && std::find(scopes.begin(), scopes.end(), scope) == scopes.end()) {
            scopes.push_back(scope);
        }
    };
    for (const auto& scope : application.scopes) {
        add(scope);
    }
    for (const auto& resource : resources) {
        add(resource.needs);
    }
    return scopes;
}

std::vector<std::string> Resource::row_key() const
{
    auto members = key;
    if (parent && members.front() != parent->as) {
        members.insert(members.begin(), parent->as);
    }
    return members;
}

std::vector<std::string> Resource::own_key() const
{
    const bool is_shared = parent && key.front() == parent->as;
    return {key.begin() + (is_shared ? 1 : 0), key.end()};
}

Libraries share(std::vector<Library> libraries, const Libraries& known)
{
    // Compares with the newest lists only: most libraries share their resources with many others, and a library with
    // lists of its own must not slow the search.
    constexpr std::ptrdiff_t max_compared = 16;
    Libraries shared;
    std::vector<SharedList<Resource>> lists;
    for (auto& library : libraries) {
        const auto is_it = [&library](const auto& one) { return *one == library; };
        const auto found = std::find_if(known.begin(), known.end(), is_it);
        const auto newest = lists.rbegin() + std::min(std::ssize(lists), max_compared);
        const auto same = std::find(lists.rbegin(), newest, library.resources);
        if (same == newest) {
            lists.push_back(library.resources);
        } else {
            library.resources = *same;
        }
        shared.push_back(found == known.end() ? std::make_shared<const Library>(std::move(library)) : *found);
    }
    return shared;
}

const Resource* Library::find_resource(const std::string& wanted) const
{
    const auto found =
        std::find_if(resources.begin(), resources.end(), [&](const Resource& one) { return one.name == wanted; });
    return found == resources.end() ? nullptr : &*found;
}

const Library* Configuration::find_library(const std::string& name) const
{
    for (const auto& library : libraries) {
        if (library.name == name) {
            return &library;
        }
    }
    return nullptr;
}

}  // namespace shelfd::config
