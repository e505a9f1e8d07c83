#include "config/bind/resource_names.hpp"

#include "base/text.hpp"
#include "config/check/values.hpp"

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

// "/api/v2/Stock-Levels/" → "stock_levels".
std::string last_word(std::string_view path)
{
    const auto bare = path.substr(0, path.find_last_not_of('/') + 1);
    std::string word;
    for (const char c : bare.substr(bare.rfind('/') + 1)) {
        const bool fits = (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9');
        word += fits ? lower(c) : '_';
    }
    return word;
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

std::string free_resource_name(const std::string& path, ResourceNames& taken)
{
    constexpr std::size_t longest = 36;  // of 41: a number fits, too
    auto word = last_word(path).substr(0, longest);
    // Names that the check of the configuration refuses.
    if (!is_name(word) || word == "freshness" || word.starts_with("sqlite_")) {
        word = ("list_" + word).substr(0, longest);
    }
    auto name = word;
    for (int n = 2; !is_free(taken, name); ++n) {
        name = fmt::format("{}_{}", word, n);
    }
    taken.insert(name);
    return name;
}

}  // namespace shelfd::config
