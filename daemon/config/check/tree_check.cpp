#include "config/check/tree_check.hpp"

#include "base/words/names.hpp"
#include "config/check/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <vector>

namespace shelfd::config {
namespace {

// The most names listed if none is similar to the unknown word.
constexpr std::size_t max_listed = 8;

using Sections = std::vector<Section>;

const Sections resource_sections = {Section::resource};
const Sections library_sections = {Section::library, Section::application, Section::service};

// The tables at the root and what they may contain.
struct RootTable {
    std::string_view name;
    Sections sections;
    bool collection;  // [name.NAME]
};

const std::vector<RootTable>& root_tables()
{
    static const std::vector<RootTable> tables = {
        {"service", {Section::service}, false},        {"defaults", resource_sections, false},
        {"application", {Section::application}, true}, {"resource", resource_sections, true},
        {"library", library_sections, true},           {"storage", {Section::storage}, false},
        {"control", {Section::control}, false},        {"log", {Section::log}, false},
        {"snapshot", {Section::snapshot}, false},      {"changes", {Section::changes}, false},
        {"deletions", {Section::deletions}, false},    {"hooks", {Section::hooks}, true},
    };
    return tables;
}

class TreeCheck {
public:
    explicit TreeCheck(const CheckContext& context) : context_(context) {}

    void root(Node& root);

private:
    void table(Node& node, const std::string& title, const Sections& sections);
    void collection(Node& node, const std::string& title, const Sections& sections);
    void member(Node& node, const KeyInfo& info, const std::string& title);
    void inner(Node& node, const KeyInfo& info);
    void unknown(Node& node, const std::string& title, const Sections& sections);
    bool is_table(Node& node, const std::string& title, std::string_view example);

    const CheckContext& context_;
};

const KeyInfo* find_in(const Sections& sections, std::string_view name)
{
    for (const auto section : sections) {
        if (const auto* info = find_key(section, name)) {
            return info;
        }
    }
    return nullptr;
}

// A table inside a value; its keys form a section.
struct InnerTable {
    std::string_view name;
    Section section;
    std::vector<std::string_view> needed;
    std::string_view example;
};

const InnerTable& inner_table(std::string_view name)
{
    static const std::vector<InnerTable> tables = {
        {"identity", Section::identity, {"path", "field"}, R"(identity = { path = "/…", field = "id" })"},
        {"incremental",
         Section::incremental,
         {"param", "field"},
         R"(incremental = { param = "modified_date__gt", field = "modified_date" })"},
        {"full", Section::full, {}, R"(full = { at = ["03:30"] })"},
        {"settle", Section::full, {}, R"(settle = { every = "30d" })"},
        {"window",
         Section::window,
         {"from", "field", "step", "since"},
         R"(window = { from = "date__gte", to = "date__lt", field = "date", step = "1d", since = "2023-01-01" })"},
        {"detail", Section::detail, {}, R"(detail = { url_field = "url" })"},
        {"parent",
         Section::parent,
         {"resource", "key", "as"},
         R"(parent = { resource = "outlets", key = "id", as = "outlet_id" })"},
    };
    return *std::find_if(tables.begin(), tables.end(), [&](const InnerTable& table) { return table.name == name; });
}

bool is_library(const Sections& sections)
{
    return sections.front() == Section::library;
}

// Returns the heading under which a key that is unknown here is valid; "" if there is none.
std::string_view home_of(std::string_view name)
{
    const auto keys = known_keys();
    const auto found = std::find_if(keys.begin(), keys.end(), [&](const KeyInfo& info) { return info.name == name; });
    return found == keys.end() ? std::string_view() : heading(found->section);
}

bool TreeCheck::is_table(Node& node, const std::string& title, std::string_view example)
{
    if (!node.is_table()) {
        refuse(node, node.key_position, fmt::format("{} must be a table: {}", title, example), context_);
    }
    return node.is_table();
}

void TreeCheck::root(Node& root)
{
    for (auto& child : root.children) {
        const auto& tables = root_tables();
        const auto found =
            std::find_if(tables.begin(), tables.end(), [&](const RootTable& table) { return table.name == child.key; });
        if (found == tables.end()) {
            unknown(child, "", {});
        } else if (found->collection) {
            collection(child, child.key, found->sections);
        } else if (is_table(child, child.key, fmt::format("[{}]", child.key))) {
            table(child, child.key, found->sections);
        }
    }
}

void TreeCheck::collection(Node& node, const std::string& title, const Sections& sections)
{
    const auto example = fmt::format("[{}.NAME]", title);
    if (!is_table(node, title, example)) {
        return;
    }
    for (auto& child : node.children) {
        const auto name = fmt::format("{}.{}", title, child.key);
        if (!is_table(child, name, example)) {
            continue;
        }
        if (!is_name(child.key)) {
            context_.faults.add(
                child.key_position,
                fmt::format(
                    "the name \"{}\" must begin with a-z, contain only a-z, 0-9 and _, and have at most 41 characters",
                    child.key));
        } else if (sections == resource_sections && (child.key == "freshness" || child.key.starts_with("sqlite_"))) {
            context_.faults.add(child.key_position,
                                fmt::format("a resource may not be named {}: {}", child.key,
                                            child.key == "freshness" ? "every mirror has a view of that name"
                                                                     : "SQLite reserves such names"));
        }
        table(child, name, sections);
    }
}

void TreeCheck::table(Node& node, const std::string& title, const Sections& sections)
{
    const auto keys = known_keys();
    const bool built = std::any_of(keys.begin(), keys.end(), [&](const KeyInfo& info) {
        return info.section == sections.front() && info.supported;
    });
    if (!built && node.children.empty()) {
        refuse(node, node.position, fmt::format("[{}] is not supported yet", title), context_);
    }
    for (auto& child : node.children) {
        if (is_library(sections) && child.key == "resource") {
            collection(child, title + ".resource", resource_sections);
        } else if (const auto* info = find_in(sections, child.key)) {
            member(child, *info, title);
        } else {
            unknown(child, title, sections);
        }
    }
}

void TreeCheck::member(Node& node, const KeyInfo& info, const std::string& title)
{
    if (!info.supported) {
        refuse(node, node.key_position, fmt::format("{} in [{}] is not supported yet", info.name, title), context_);
    } else if (info.type == KeyType::table) {
        inner(node, info);
    } else {
        check_value(node, info, context_);
    }
}

void TreeCheck::inner(Node& node, const KeyInfo& info)
{
    if (!expect_kind(node, info, Node::Kind::table, context_)) {
        return;
    }
    const auto& table_of = inner_table(info.name);
    table(node, std::string(info.name), {table_of.section});
    for (const auto needed : table_of.needed) {
        if (node.find(needed) == nullptr) {
            refuse(node, node.position, fmt::format("{} needs {}: {}", info.name, needed, table_of.example), context_);
        }
    }
    node.faulty = node.faulty || std::any_of(node.children.begin(), node.children.end(),
                                             [](const Node& child) { return child.faulty; });
}

void TreeCheck::unknown(Node& node, const std::string& title, const Sections& sections)
{
    std::vector<std::string_view> words;
    for (const auto& info : known_keys()) {
        if (std::find(sections.begin(), sections.end(), info.section) != sections.end()) {
            words.push_back(info.name);
        }
    }
    if (title.empty()) {
        for (const auto& table : root_tables()) {
            words.push_back(table.name);
        }
    } else if (is_library(sections)) {
        words.push_back("resource");
    }
    const auto where = title.empty() ? std::string("at the top level") : fmt::format("in [{}]", title);
    const auto home = home_of(node.key);
    node.unknown = true;
    const auto alike = nearest_alike(node.key, words);
    const bool few = words.size() <= max_listed;
    const auto cure = !home.empty()    ? fmt::format("it belongs in {}", home)
                      : !alike.empty() ? fmt::format("the nearest known key is \"{}\"", alike)
                      : few            ? fmt::format("known keys are {}", fmt::join(words, ", "))
                                       : "no known key is similar; shelfd.toml(5) lists them all";
    refuse(node, node.key_position, fmt::format("unknown key \"{}\" {}; {}", node.key, where, cure), context_);
}

}  // namespace

void check_tree(Node& root, const CheckContext& context)
{
    TreeCheck(context).root(root);
}

}  // namespace shelfd::config
