#include "base/words/names.hpp"
#include "config/bind/bind_detail.hpp"
#include "config/bind/bind_library.hpp"
#include "config/bind/bind_parent.hpp"
#include "config/bind/bind_schedule.hpp"
#include "config/bind/quiet_times.hpp"
#include "config/bind/reader.hpp"
#include "config/check/address.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace shelfd::config {
namespace {

// The two tables of a resource, either of which may be absent.
struct Candidate {
    std::string name;
    const Node* shared;  // [resource.NAME]
    const Node* own;     // [library.X.resource.NAME]
};

std::vector<Candidate> candidates_of(const Node& root, const Node& library)
{
    const auto* const shared = root.find("resource");
    const auto* const own = library.find("resource");
    std::vector<Candidate> candidates;
    for (const auto* table : tables_in(shared)) {
        candidates.push_back({table->key, table, own == nullptr ? nullptr : own->find(table->key)});
    }
    for (const auto* table : tables_in(own)) {
        if (shared == nullptr || shared->find(table->key) == nullptr) {
            candidates.push_back({table->key, nullptr, table});
        }
    }
    return candidates;
}

class ResourceBinder {
public:
    ResourceBinder(const Node& root, const Node& table, const Library& library, Origins* origins, FaultList& faults)
        : root_(root), table_(table), library_(library), origins_(origins), faults_(faults)
    {
    }

    std::vector<Resource> bind();

private:
    std::vector<Candidate> selected() const;
    bool exists(const Candidate& candidate) const;
    bool is_default(const Candidate& candidate) const;
    std::vector<bool> taken_from(const std::vector<Candidate>& all) const;
    Resource resource(const Candidate& candidate);
    void read_path(const Reader& reader, Resource& resource, const Position& position);
    void read_params(const Reader& reader, Resource& resource);
    void read_incremental(const Reader& reader, Resource& resource);
    void read_exclude(const Reader& reader, Resource& resource);

    const Node& root_;
    const Node& table_;
    const Library& library_;
    Origins* origins_;
    FaultList& faults_;
};

// Reports a misspelt override; otherwise it would become a resource of this library without a path.
bool ResourceBinder::exists(const Candidate& candidate) const
{
    if (candidate.shared != nullptr || candidate.own->find("path") != nullptr) {
        return true;
    }
    std::vector<std::string_view> names;
    for (const auto* table : tables_in(root_.find("resource"))) {
        names.push_back(table->key);
    }
    faults_.add(
        candidate.own->position,
        fmt::format("there is no [resource.{}]{}; a resource of this library only needs a path", candidate.name,
                    names.empty() ? "" : fmt::format("; the nearest is \"{}\"", nearest(candidate.name, names))));
    return false;
}

// A resource that is none by default is mirrored by libraries that name it.
bool ResourceBinder::is_default(const Candidate& candidate) const
{
    bool value = true;
    Reader({candidate.own, candidate.shared, root_.find("defaults")}, "", nullptr).read("default", value);
    return value || candidate.shared == nullptr;
}

std::vector<bool> ResourceBinder::taken_from(const std::vector<Candidate>& all) const
{
    std::vector<bool> defaults;
    std::vector<std::string_view> names;
    for (const auto& candidate : all) {
        defaults.push_back(is_default(candidate));
        names.push_back(candidate.name);
    }
    const auto* selection = table_.find("resources");
    if (selection == nullptr || selection->faulty) {
        return defaults;
    }
    // A selection of exclusions only starts from all resources; any other, from those of the library alone.
    const bool only_exclusions = std::all_of(selection->children.begin(), selection->children.end(),
                                             [](const Node& word) { return word.text.starts_with('-'); });
    auto taken = only_exclusions ? defaults : std::vector<bool>(all.size(), false);
    for (std::size_t i = 0; i < all.size(); ++i) {
        taken[i] = taken[i] || all[i].shared == nullptr;
    }
    for (const auto& word : selection->children) {
        const bool excludes = word.text.starts_with('-');
        const auto name = std::string_view(word.text).substr(excludes ? 1 : 0);
        const auto found = std::find(names.begin(), names.end(), name);
        if (name == "*") {
            taken = excludes ? std::vector<bool>(all.size(), false) : defaults;
        } else if (found == names.end()) {
            faults_.add(word.position,
                        fmt::format("there is no [resource.{}]{}", name,
                                    names.empty() ? "" : fmt::format("; the nearest is \"{}\"", nearest(name, names))));
        } else {
            taken[static_cast<std::size_t>(found - names.begin())] = !excludes;
        }
    }
    return taken;
}

std::vector<Candidate> ResourceBinder::selected() const
{
    const auto all = candidates_of(root_, table_);
    const auto taken = taken_from(all);
    std::vector<Candidate> result;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (taken[i]) {
            result.push_back(all[i]);
        } else if (all[i].own != nullptr) {
            faults_.warn(all[i].own->position, fmt::format("resource {} is not among the resources of library {}, so "
                                                           "this has no effect",
                                                           all[i].name, library_.name));
        }
    }
    return result;
}

void ResourceBinder::read_path(const Reader& reader, Resource& resource, const Position& position)
{
    reader.read("path", resource.path);
    const auto* node = reader.find("path");
    if (reader.lacks("path")) {
        faults_.add(position, fmt::format("resource {} has no path", resource.name));
    }
    if (node == nullptr || node->faulty) {
        return;
    }
    auto known = library_;
    const auto mark = resource.parent ? "{" + resource.parent->as + "}" : "";
    if (resource.parent) {
        known.vars[resource.parent->as] = mark;
    }
    const auto filled = fill_in(node->text, known, node->position, faults_);
    if (!filled) {
        return;
    }
    resource.path = *filled;
    if (resource.parent && resource.path.find(mark) == std::string::npos) {
        faults_.add(
            node->position,
            fmt::format("the path of {} must contain {}, which stands for the key of its parent", resource.name, mark));
        return;
    }
    auto example = resource.path;
    for (auto at = example.find(mark); resource.parent && at != std::string::npos; at = example.find(mark)) {
        example.replace(at, mark.size(), 1, '0');
    }
    auto fits = check_route(example);
    if (fits && example.find_first_of("{}") != std::string::npos) {
        fits = Error(ErrorKind::config, "may contain braces only as {name}");
    }
    if (!fits) {
        faults_.add(node->position, fmt::format("the path of {}, filled in for library {}, {}", resource.name,
                                                library_.name, fits.error().text()));
    }
}

void ResourceBinder::read_params(const Reader& reader, Resource& resource)
{
    reader.read("params", resource.params);
    const auto& service = library_.service;
    for (auto& [name, value] : resource.params) {
        const auto* node = reader.find("params")->find(name);
        value = fill_in(value, library_, node->position, faults_).value_or("");
        refuse_own_parameter(service, *node, faults_);
    }
}

void ResourceBinder::read_incremental(const Reader& reader, Resource& resource)
{
    const auto* node = reader.take("incremental");
    if (node == nullptr) {
        return;
    }
    auto& incremental = resource.incremental.emplace();
    const Reader inner({node}, "", nullptr);
    inner.read("param", incremental.param);
    inner.read("field", incremental.field);
    const auto* format = node->find("format");
    const bool days = format != nullptr && format->text == "date";
    incremental.format = days ? Incremental::Format::date : Incremental::Format::datetime;
    incremental.overlap = days ? std::chrono::hours(24) : std::chrono::minutes(5);
    inner.read("overlap", incremental.overlap);
    if (days && incremental.overlap < std::chrono::hours(24)) {
        faults_.add(
            node->position,
            fmt::format(
                "overlap of {} must be at least 1d with format = \"date\", because such a filter cannot select hours",
                resource.name));
    }
    if (resource.answers == Answers::object) {
        faults_.add(
            node->key_position,
            fmt::format("incremental needs a list, but {} answers with one object: remove incremental", resource.name));
    }
}

// True for names joined by single dots, each bare or in double quotes.
bool is_member_path(std::string_view text)
{
    for (;;) {
        const bool quoted = text.starts_with('"');
        const auto end = std::min(quoted ? text.find('"', 1) : text.find('.'), text.size());
        if ((quoted && (end == text.size() || end == 1)) || (!quoted && end == 0)) {
            return false;
        }
        text.remove_prefix(end + (quoted ? 1 : 0));
        if (text.empty()) {
            return true;
        }
        if (text.front() != '.') {
            return false;
        }
        text.remove_prefix(1);
    }
}

void ResourceBinder::read_exclude(const Reader& reader, Resource& resource)
{
    reader.read("exclude", resource.exclude);
    const auto* node = reader.find("exclude");
    for (std::size_t i = 0; node != nullptr && !node->faulty && i < node->children.size(); ++i) {
        const auto& path = node->children[i];
        const bool is_key = std::find(resource.key.begin(), resource.key.end(), path.text) != resource.key.end();
        if (is_key) {
            faults_.add(path.position,
                        fmt::format("{} is the key of {} and cannot be excluded", path.text, resource.name));
        } else if (!is_member_path(path.text)) {
            faults_.add(path.position, "exclude must contain names joined by single dots, like \"created_by.email\"; "
                                       "put a name that contains a dot in double quotes: '\"a.b\".c'");
        }
    }
}

Resource ResourceBinder::resource(const Candidate& candidate)
{
    Resource resource;
    resource.name = candidate.name;
    resource.position = (candidate.shared != nullptr ? candidate.shared : candidate.own)->position;
    const auto prefix = fmt::format("library.{}.resource.{}.", library_.name, candidate.name);
    const Reader reader({candidate.own, candidate.shared, root_.find("defaults")}, prefix, origins_);
    reader.read("enabled", resource.enabled);
    reader.read("needs", resource.needs);
    if (const auto* key = reader.take("key")) {
        resource.key.clear();
        if (key->kind == Node::Kind::string) {
            resource.key.push_back(key->text);
        }
        for (const auto& member : key->children) {
            resource.key.push_back(member.text);
        }
    }
    read_params(reader, resource);
    read_exclude(reader, resource);
    if (bind_parent(reader, resource, faults_)) {
        read_path(reader, resource, resource.position);
    }
    reader.read("ordering", resource.ordering);
    reader.read("keep_deleted", resource.keep_deleted);
    if (const auto* detail = reader.take("changes")) {
        resource.changes = detail->text == "keys"   ? ChangeDetail::keys
                           : detail->text == "none" ? ChangeDetail::none
                                                    : ChangeDetail::values;
    }
    if (const auto* answers = reader.take("answers")) {
        resource.answers = answers->text == "object"  ? Answers::object
                           : answers->text == "whole" ? Answers::whole
                                                      : Answers::list;
    }
    read_incremental(reader, resource);
    bind_detail(reader, library_, resource, faults_);
    const ScheduleTables tables{candidate.own, candidate.shared, &table_, root_.find("defaults"),
                                root_.find("service")};
    bind_schedule(tables, prefix, origins_, resource, faults_);
    warn_of_quiet_times(tables, resource, library_, faults_);
    return resource;
}

std::vector<Resource> ResourceBinder::bind()
{
    const auto chosen = selected();
    std::vector<Resource> resources;
    bool any_fault = false;
    for (const auto& candidate : chosen) {
        if (!exists(candidate)) {
            any_fault = true;
            continue;
        }
        auto bound = resource(candidate);
        if (bound.enabled) {
            resources.push_back(std::move(bound));
        }
    }
    check_parents(library_, resources, faults_);
    const auto* selection = table_.find("resources");
    if (resources.empty() && !any_fault && !Reader({&root_}, "", nullptr).has_unknown() &&
        (selection == nullptr || !selection->faulty)) {
        faults_.add(
            table_.position,
            fmt::format("library {} has no resource that is enabled: add [resource.NAME]; to fetch nothing for a "
                        "while use paused = true",
                        library_.name));
    }
    return resources;
}

}  // namespace

std::vector<Resource> bind_resources(const Node& root, const Node& table, const Library& library, Origins* origins,
                                     FaultList& faults)
{
    return ResourceBinder(root, table, library, origins, faults).bind();
}

}  // namespace shelfd::config
