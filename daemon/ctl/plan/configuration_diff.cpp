#include "ctl/plan/configuration_diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
                add(Kind::changed, section.heading, key,
                    fmt::format("{} {} {} → {}", name, key, was == nullptr ? "(none)" : *was, value));
            }
        }
        for (const auto& [key, value] : before->keys) {
            if (section.find(key) == nullptr && key != "formerly") {
                add(Kind::changed, section.heading, key, fmt::format("{} {} {} → (none)", name, key, value));
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
        changes_.push_back({kind, area_of(heading), subject_of(heading), key, std::move(what), std::nullopt, false});
    }

    std::vector<Section> before_;
    std::vector<Section> after_;
    std::map<std::string, std::string> former_;
    std::vector<ConfigurationChange> changes_;
};

// A library's requests that show whether its token works: all its tables share them.
std::string canaries_of(const std::string& library)
{
    return library + " canaries";
}

// An hour, on average of a day.
double canaries_an_hour(const PlannedLibrary& library, Instant now)
{
    const auto alone = plan_budget({library}, now);
    double all = 0;
    double awake = 0;
    for (const auto& passes : alone.empty() ? std::vector<PlannedPasses>() : alone.front().passes) {
        all += passes.passes_a_minute;
        awake += passes.passes_a_minute * passes.awake;
    }
    return all > 0 ? alone.front().canaries_a_minute * 60 * awake / all : 0;
}

std::optional<double> cost_in(const Costs& costs, const std::string& subject)
{
    const auto found = costs.find(subject);
    return found == costs.end() ? std::optional(0.0) : found->second;
}

std::string cost_text(const ConfigurationChange& change)
{
    const auto known = fmt::format(": {:+.0f} requests/h", change.requests_an_hour.value_or(0));
    if (change.kind == Kind::removed || (change.unknown == 0 && !change.is_unknown)) {
        return change.requests_an_hour ? known : "";
    }
    if (change.is_unknown) {
        return ": its requests are unknown before a first pass";
    }
    const auto others = change.libraries - change.unknown;
    return fmt::format("{} in {} {}; {} unknown before {} first pass", known, others,
                       others == 1 ? "library" : "libraries", change.unknown, change.unknown == 1 ? "its" : "their");
}

}  // namespace

std::vector<ConfigurationChange> compare_configurations(const std::string& before, const std::string& after)
{
    return Comparison(sections_of(before), sections_of(after)).run();
}

Costs costs_of(const std::vector<PlannedLibrary>& libraries, Instant now)
{
    Costs costs;
    const auto add = [&costs](const std::string& subject, const PlannedPasses& passes) {
        auto& cost = costs.try_emplace(subject, 0.0).first->second;
        const auto more = passes.requests_a_minute() * 60 * passes.awake;  // on average of a day
        cost = cost && passes.requests ? std::optional(*cost + more) : std::nullopt;
    };
    for (const auto& library : libraries) {
        if (const auto canaries = canaries_an_hour(library, now); canaries > 0) {
            costs[library.library->name] = canaries;
            costs[canaries_of(library.library->name)] = canaries;
        }
    }
    for (const auto& group : plan_budget(libraries, now)) {
        for (const auto& passes : group.passes) {
            add(passes.library, passes);
            add(passes.library + "." + passes.resource, passes);
        }
    }
    return costs;
}

void add_costs(std::vector<ConfigurationChange>& changes, const Costs& before, const Costs& after)
{
    std::set<std::string> told;
    for (auto& change : changes) {
        const auto& subject = change.subject;
        const bool costs_something = before.contains(subject) || after.contains(subject);
        const bool is_one_key = change.kind == Kind::changed && change.area != ConfigurationChange::Area::table &&
                                change.key != "paused" && change.key != "quiet";
        const auto library = subject.substr(0, subject.find('.'));
        const bool is_in_library =
            library != subject && told.contains(library);  // its cost includes that of its tables
        if (subject.empty() || !costs_something || is_one_key || is_in_library || !told.insert(subject).second) {
            continue;
        }
        auto was = cost_in(before, subject);
        auto is = cost_in(after, subject);
        change.is_unknown = !was || !is;
        // A library has its canaries in its own cost; otherwise the first change of its tables has them.
        if (told.insert(canaries_of(library)).second && library != subject && was && is) {
            *was += cost_in(before, canaries_of(library)).value_or(0);
            *is += cost_in(after, canaries_of(library)).value_or(0);
        }
        if (was && is && std::abs(*is - *was) >= 0.5) {
            change.requests_an_hour = *is - *was;
        }
    }
}

TotalCost total_of(const std::vector<ConfigurationChange>& changes)
{
    TotalCost total;
    for (const auto& change : changes) {
        total.requests_an_hour += change.requests_an_hour.value_or(0);
        total.unknown += change.is_unknown && change.kind != Kind::removed ? 1 : 0;
    }
    return total;
}

std::string to_text(const ConfigurationChange& change)
{
    const auto* sign = change.kind == Kind::added ? "+" : change.kind == Kind::removed ? "-" : "~";
    const bool is_library = change.kind == Kind::removed && change.area == ConfigurationChange::Area::library;
    return fmt::format("{} {}{}{}", sign, change.what, is_library ? "; what is kept of it stays on disk" : "",
                       cost_text(change));
}

}  // namespace shelfd::ctl
