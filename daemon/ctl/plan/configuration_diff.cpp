#include "ctl/plan/configuration_diff.hpp"

#include "base/words/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

namespace shelfd::ctl {
namespace {

using Kind = ConfigurationChange::Kind;

// A table of the text: its heading, and its keys in their order.
struct Section {
    std::string heading;
    std::vector<std::pair<std::string, std::string>> keys;

    const std::string* find(const std::string& key) const
    {
        const auto found = std::find_if(keys.begin(), keys.end(), [&](const auto& one) { return one.first == key; });
        return found == keys.end() ? nullptr : &found->second;
    }
};

std::vector<Section> sections_of(const std::string& text)
{
    std::vector<Section> sections;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const auto equals = line.find(" = ");
        if (line.starts_with('[') && line.ends_with(']')) {
            sections.push_back({line.substr(1, line.size() - 2), {}});
        } else if (equals != std::string::npos && !sections.empty()) {
            sections.back().keys.emplace_back(line.substr(0, equals), line.substr(equals + 3));
        }
    }
    return sections;
}

const Section* find(const std::vector<Section>& sections, const std::string& heading)
{
    const auto found = std::find_if(sections.begin(), sections.end(),
                                    [&](const Section& section) { return section.heading == heading; });
    return found == sections.end() ? nullptr : &*found;
}

// True if the list `value` has a string that `was` lacks; both as config::show prints them.
bool has_more(const std::string& was, const std::string& value)
{
    for (auto begin = value.find('"'); begin != std::string::npos;) {
        auto end = value.find('"', begin + 1);
        while (end != std::string::npos && value[end - 1] == '\\') {
            end = value.find('"', end + 1);
        }
        if (end == std::string::npos) {
            return false;
        }
        if (was.find(value.substr(begin, end + 1 - begin)) == std::string::npos) {
            return true;
        }
        begin = value.find('"', end + 1);
    }
    return false;
}

// "\"date__gte\"" of "{ from = \"date__gte\", step = \"1d\" }"; "" without it.
std::string member_in(const std::string& table, std::string_view member)
{
    const auto name = fmt::format(" {} = ", member);
    const auto begin = table.find(name);
    return begin == std::string::npos ? "" : table.substr(begin, table.find('"', begin + name.size() + 1) - begin);
}

// What becomes of rows and of the change feed if a key of a table changes, or of a library.
std::string consequence_of(const ConfigurationChange& change, const std::string& was, const std::string& value)
{
    using Area = ConfigurationChange::Area;
    constexpr std::string_view new_feed = "; consumers of the change feed must read all tables again";
    const auto& key = change.key;
    if (change.area == Area::library && key == "params") {
        return fmt::format("the rows of its tables stay until passes over the new lists replace them{}", new_feed);
    }
    if (change.area != Area::table) {
        return "";
    }
    if (key == "exclude" && has_more(was, value)) {
        return fmt::format("its table, changes and snapshot are removed and filled again, and the rows that "
                           "keep_deleted has kept are lost{}",
                           new_feed);
    }
    if (key == "key") {
        return fmt::format("its table is emptied and filled again{}", new_feed);
    }
    const auto differs = [&](std::string_view member) { return member_in(was, member) != member_in(value, member); };
    if (key == "parent" || (key == "window" && (differs("field") || differs("timezone")))) {
        return fmt::format("its table is emptied and filled again{}", new_feed);
    }
    const bool is_other_object = key == "answers" && (was == "\"object\"" || value == "\"object\"");
    const bool is_other_window = key == "window" && (differs("from") || differs("to"));
    if (key == "path" || key == "params" || is_other_object || is_other_window) {
        return fmt::format("its rows stay until passes over the new list replace them{}", new_feed);
    }
    if (key == "detail" && (differs("path") || differs("url_field"))) {
        return fmt::format("its details are fetched again{}", new_feed);
    }
    if (key == "changes" && value == "\"none\"") {
        return "the change feed tells nothing of it from then on";
    }
    return key == "changes" && was == "\"none\"" ? std::string(new_feed.substr(2)) : "";
}

constexpr std::string_view library_prefix = "library.";
constexpr std::string_view table_infix = ".resource.";

// "ghent" of "library.ghent" and of "library.ghent.resource.stock"; "" of others.
std::string library_in(const std::string& heading)
{
    if (!heading.starts_with(library_prefix)) {
        return "";
    }
    const auto rest = heading.substr(library_prefix.size());
    return rest.substr(0, rest.find('.'));
}

bool is_table(const std::string& heading)
{
    return !library_in(heading).empty() && heading.find(table_infix) != std::string::npos;
}

// "library ghent", "ghent.stock", "hooks.mail".
std::string name_of(const std::string& heading)
{
    const auto library = library_in(heading);
    if (library.empty()) {
        return heading;
    }
    const auto table = heading.find(table_infix);
    return table == std::string::npos ? "library " + library
                                      : library + "." + heading.substr(table + table_infix.size());
}

ConfigurationChange::Area area_of(const std::string& heading)
{
    using Area = ConfigurationChange::Area;
    if (!library_in(heading).empty()) {
        return is_table(heading) ? Area::table : Area::library;
    }
    return heading == "log" || heading == "control" || heading.starts_with("hooks.") ? Area::daemon : Area::other;
}

// As costs are named: "ghent", "ghent.stock"; "" for others.
std::string subject_of(const std::string& heading)
{
    return is_table(heading) ? name_of(heading) : library_in(heading);
}

// The same with the name that the library has in the other text.
std::string renamed(const std::string& heading, const std::map<std::string, std::string>& names)
{
    const auto library = library_in(heading);
    const auto found = names.find(library);
    return found == names.end() || library.empty()
               ? heading
               : std::string(library_prefix) + found->second + heading.substr(library_prefix.size() + library.size());
}

std::string unquoted(const std::string& toml)
{
    return toml.size() >= 2 && toml.front() == '"' ? toml.substr(1, toml.size() - 2) : toml;
}

// Former names, by the present ones: of libraries whose former name is in `before` and that are not there themselves.
std::map<std::string, std::string> renames(const std::vector<Section>& before, const std::vector<Section>& after)
{
    std::map<std::string, std::string> names;
    for (const auto& section : after) {
        const auto library = library_in(section.heading);
        const auto* formerly = library.empty() ? nullptr : section.find("formerly");
        const bool is_new = find(before, section.heading) == nullptr;
        if (formerly != nullptr && is_new &&
            find(before, std::string(library_prefix) + unquoted(*formerly)) != nullptr) {
            names[library] = unquoted(*formerly);
        }
    }
    return names;
}

class Comparison {
public:
    Comparison(std::vector<Section> before, std::vector<Section> after)
        : before_(std::move(before)), after_(std::move(after)), former_(renames(before_, after_))
    {
    }

    std::vector<ConfigurationChange> run()
    {
        std::set<std::string> seen;
        for (const auto& section : after_) {
            const auto heading = renamed(section.heading, former_);
            seen.insert(heading);
            compare(section, find(before_, heading));
        }
        for (const auto& section : before_) {
            if (!seen.contains(section.heading) && !is_of_whole(section.heading, after_)) {
                add(Kind::removed, section.heading, "", name_of(section.heading));
            }
        }
        return std::move(changes_);
    }

private:
    void compare(const Section& section, const Section* before)
    {
        const auto name = name_of(section.heading);
        if (before == nullptr) {
            if (!is_of_whole(section.heading, before_)) {
                const auto* every = section.find("every");
                add(Kind::added, section.heading, "",
                    every == nullptr ? name : fmt::format("{} every {}", name, *every));
            }
            return;
        }
        if (const auto former = former_.find(library_in(section.heading));
            former != former_.end() && !is_table(section.heading)) {
            add(Kind::changed, before->heading, "", fmt::format("library {} → {}", former->second, former->first));
        }
        for (const auto& [key, value] : section.keys) {
            const auto* was = before->find(key);
            const bool is_name = key == "formerly" || (key == "limit_group" && former_.contains(unquoted(value)));
            if (!is_name && (was == nullptr || *was != value)) {
                const auto former = was == nullptr ? std::string("(none)") : *was;
                add(Kind::changed, section.heading, key, fmt::format("{} {} {} → {}", name, key, former, value));
                tell_consequence(former, value);
            }
        }
        for (const auto& [key, value] : before->keys) {
            if (section.find(key) == nullptr && key != "formerly") {
                add(Kind::changed, section.heading, key, fmt::format("{} {} {} → (none)", name, key, value));
                tell_consequence(value, "");
            }
        }
    }

    // A table of a library that is as a whole missing from `others`: the library is one change.
    bool is_of_whole(const std::string& heading, const std::vector<Section>& others) const
    {
        const auto library = std::string(library_prefix) + library_in(heading);
        return is_table(heading) && find(others, renamed(library, former_)) == nullptr &&
               find(others, library) == nullptr;
    }

    void add(Kind kind, const std::string& heading, const std::string& key, std::string what)
    {
        changes_.push_back(
            {kind, area_of(heading), subject_of(heading), key, std::move(what), {}, std::nullopt, false});
    }

    // Of the change that was added last.
    void tell_consequence(const std::string& was, const std::string& value)
    {
        changes_.back().consequence = consequence_of(changes_.back(), was, value);
    }

    std::vector<Section> before_;
    std::vector<Section> after_;
    std::map<std::string, std::string> former_;
    std::vector<ConfigurationChange> changes_;
};

// "stock", "stock and loans", of several libraries "stock in 3 libraries".
std::string unread_text(const ConfigurationChange& change)
{
    constexpr std::size_t max_named = 5;
    const auto named = list_some(change.unread, max_named);
    return change.libraries == 1 ? named
                                 : fmt::format("{} in {} {}", named, change.partly_unknown,
                                               change.partly_unknown == 1 ? "library" : "libraries");
}

std::string cost_text(const ConfigurationChange& change)
{
    const bool is_single = change.libraries == 1;
    const bool is_all_unknown =
        is_single ? change.is_unknown && !change.requests_an_hour : change.unknown == change.libraries;
    if (is_all_unknown) {
        return ": its requests are unknown before a first pass";
    }
    auto text = change.requests_an_hour || change.unknown > 0
                    ? fmt::format(": {:+.0f} requests/h", change.requests_an_hour.value_or(0))
                    : std::string();
    if (!is_single && change.unknown > 0) {
        const auto others = change.libraries - change.unknown;
        text += fmt::format(" in {} {}; {} unknown before {} first pass", others, others == 1 ? "library" : "libraries",
                            change.unknown, change.unknown == 1 ? "its" : "their");
    }
    if (is_single ? change.is_unknown : change.partly_unknown > 0) {
        text += fmt::format("; unknown before a first pass: {}", unread_text(change));
    }
    return text;
}

}  // namespace

std::vector<ConfigurationChange> compare_configurations(const std::string& before, const std::string& after)
{
    return Comparison(sections_of(before), sections_of(after)).run();
}

TotalCost total_of(const std::vector<ConfigurationChange>& changes)
{
    TotalCost total;
    for (const auto& change : changes) {
        total.requests_an_hour += change.requests_an_hour.value_or(0);
        total.unknown += change.is_unknown ? 1 : 0;
    }
    return total;
}

std::string to_text(const ConfigurationChange& change)
{
    const auto* sign = change.kind == Kind::added ? "+" : change.kind == Kind::removed ? "-" : "~";
    const bool is_library = change.kind == Kind::removed && change.area == ConfigurationChange::Area::library;
    const auto then = is_library ? "its stored data stays on disk" : change.consequence;
    return fmt::format("{} {}{}{}{}", sign, change.what, cost_text(change), then.empty() ? "" : "; ", then);
}

}  // namespace shelfd::ctl
