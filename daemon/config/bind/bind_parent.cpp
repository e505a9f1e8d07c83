#include "config/bind/bind_parent.hpp"

#include "base/words/names.hpp"
#include "config/check/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace shelfd::config {
namespace {

const Resource* find(const std::vector<Resource>& resources, const std::string& name)
{
    const auto found =
        std::find_if(resources.begin(), resources.end(), [&](const Resource& one) { return one.name == name; });
    return found == resources.end() ? nullptr : &*found;
}

// True if following parents from `resource` leads back to it.
bool is_own_ancestor(const Resource& resource, const std::vector<Resource>& resources)
{
    const auto* one = &resource;
    for (std::size_t steps = 0; one != nullptr && one->parent && steps <= resources.size(); ++steps) {
        one = find(resources, one->parent->resource);
        if (one == &resource) {
            return true;
        }
    }
    return false;
}

bool contains(const std::vector<std::string>& names, const std::string& name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool bind_parent(const Reader& reader, Resource& resource, FaultList& faults)
{
    const auto* node = reader.take("parent");
    if (node == nullptr) {
        return !reader.has("parent");
    }
    bool fits = false;
    auto& parent = resource.parent.emplace();
    const Reader inner({node}, "", nullptr);
    inner.read("resource", parent.resource);
    inner.read("key", parent.key);
    inner.read("as", parent.as);
    parent.position = node->position;
    parent.resource_position = node->find("resource")->position;
    const auto& as = node->find("as")->position;
    if (!is_name(parent.as)) {
        faults.add(as, fmt::format("`as` must begin with a-z and contain only a-z, 0-9 and _, not \"{}\"", parent.as));
    } else if (contains(resource.key, parent.as) && resource.key.front() != parent.as) {
        faults.add(as, fmt::format("{} is added to the key of {} automatically: remove it from key, or put it first",
                                   parent.as, resource.name));
    } else if (contains(resource.exclude, parent.as)) {
        faults.add(as,
                   fmt::format("{} is excluded but identifies the parent of a row: remove it from exclude", parent.as));
    } else {
        fits = true;
    }
    if (const auto* with = reader.find("window")) {
        faults.add(
            with->key_position,
            fmt::format("window and parent exclude each other: remove one of them from resource {}", resource.name));
        fits = false;
    }
    return fits;
}

void check_parents(const Library& library, const std::vector<Resource>& resources, FaultList& faults)
{
    std::vector<std::string_view> names;
    for (const auto& resource : resources) {
        names.push_back(resource.name);
    }
    for (const auto& resource : resources) {
        if (!resource.parent) {
            continue;
        }
        const auto& parent = *resource.parent;
        const auto* rows = find(resources, parent.resource);
        if (rows == nullptr) {
            faults.add(
                parent.resource_position,
                fmt::format(
                    "{} is not a resource of library {}, but its rows name the lists of {}; the nearest is \"{}\"",
                    parent.resource, library.name, resource.name, nearest(parent.resource, names)));
        } else if (is_own_ancestor(resource, resources)) {
            faults.add(parent.resource_position,
                       fmt::format("{} waits for {}, which waits for it: neither would ever be filled", resource.name,
                                   parent.resource));
        } else if (contains(rows->exclude, parent.key)) {
            faults.add(parent.position,
                       fmt::format("{} of {} names the lists of {} but is excluded there: remove it from that exclude",
                                   parent.key, parent.resource, resource.name));
        }
    }
}

}  // namespace shelfd::config
