#include "config/bind/resource_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace shelfd::config {
namespace {

// Suffixes of the tables that the daemon keeps beside a resource's own table.
constexpr std::array<std::string_view, 4> endings = {"_detail", "_full", "_deleted", "_history"};

std::vector<const Node*> resource_tables(const Node& root)
{
    auto tables = tables_in(root.find("resource"));
    for (const auto* library : tables_in(root.find("library"))) {
        const auto own = tables_in(library->find("resource"));
        tables.insert(tables.end(), own.begin(), own.end());
    }
    return tables;
}

}  // namespace

ResourceNames read_resource_names(const Node& root)
{
    ResourceNames names;
    for (const auto* table : resource_tables(root)) {
        names.insert(table->key);
    }
    return names;
}

void check_resource_names(const Node& root, FaultList& faults)
{
    const auto names = read_resource_names(root);
    for (const auto* table : resource_tables(root)) {
        for (const auto ending : endings) {
            const std::string_view name = table->key;
            const auto stem = name.substr(0, name.size() - std::min(name.size(), ending.size()));
            if (name.ends_with(ending) && names.contains(stem)) {
                faults.add(table->key_position,
                           fmt::format("a resource may not be named {}: the daemon has a table of that name for {}",
                                       name, stem));
            }
        }
    }
}

bool is_free(const ResourceNames& names, const std::string& name)
{
    return !names.contains(name) && std::none_of(endings.begin(), endings.end(), [&](std::string_view ending) {
        const auto stem = std::string_view(name).substr(0, name.size() - std::min(name.size(), ending.size()));
        return names.contains(name + std::string(ending)) || (name.ends_with(ending) && names.contains(stem));
    });
}

}  // namespace shelfd::config
