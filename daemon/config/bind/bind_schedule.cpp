#include "config/bind/bind_schedule.hpp"

#include "config/bind/reader.hpp"
#include "config/check/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace shelfd::config {
namespace {

// Returns the nearest table with `every` or `at`, or nullptr. A table with both is a fault even if a nearer one
// applies; a resource with neither is a fault, too.
const Node* find_rhythm(const ScheduleTables& tables, const Resource& resource, FaultList& faults)
{
    const Node* nearest = nullptr;
    for (const auto* table : {tables.own, tables.shared, tables.defaults}) {
        const auto* at = table == nullptr ? nullptr : table->find("at");
        const auto* every = table == nullptr ? nullptr : table->find("every");
        if (at != nullptr && every != nullptr) {
            faults.add(at->key_position,
                       "`at` and `every` cannot both be set: use `at` for times of day, or `every` for an interval");
        }
        if (nearest == nullptr && (at != nullptr || every != nullptr)) {
            nearest = table;
        }
    }
    if (nearest != nullptr) {
        return nearest;
    }
    if (!Reader({tables.own, tables.shared, tables.defaults}, "", nullptr).has_unknown()) {
        faults.add(resource.position, fmt::format("resource {} has neither every nor at, so it would never be fetched: "
                                                  "write every = \"15m\" or at = [\"03:30\"] here or in [defaults]",
                                                  resource.name));
    }
    return nullptr;
}

// Refuses `days` and `timezone`, which belong to planned times, for a resource with an interval.
void refuse_idle_keys(const ScheduleTables& tables, const Node* rhythm, FaultList& faults)
{
    for (const auto* table : {tables.own, tables.shared}) {
        for (const std::string_view key : {"days", "timezone"}) {
            if (const auto* idle = table == nullptr ? nullptr : table->find(key)) {
                faults.add(idle->key_position, fmt::format("`{}` needs `at` and has no effect with `every`: write at = "
                                                           "[\"03:30\"] instead of `every`, or remove `{}`",
                                                           key, key));
            }
        }
        if (table == rhythm) {
            return;
        }
    }
}

void read_times(const Reader& reader, const Reader& zones, Schedule& schedule)
{
    if (const auto* at = reader.take("at")) {
        for (const auto& time : at->children) {
            schedule.at.push_back(parse_time_of_day(time.text).value());
        }
        std::sort(schedule.at.begin(), schedule.at.end());
    }
    if (const auto* days = reader.take("days")) {
        schedule.days.reset();
        for (const auto& day : days->children) {
            schedule.days.set(parse_weekday(day.text).value());
        }
    }
    zones.read("timezone", schedule.timezone);
}

// Reads a table that has a schedule of its own: `full`, `settle`.
Schedule read_own_schedule(const ScheduleTables& tables, const Node& node, const Resource& resource, FaultList& faults)
{
    Schedule schedule;
    const Reader reader({&node}, "", nullptr);
    const bool planned = node.find("at") != nullptr;
    const bool regular = node.find("every") != nullptr;
    if (planned == regular) {
        faults.add(node.position,
                   planned ? fmt::format("`{}` has both `at` and `every`: remove one of them", node.key)
                           : fmt::format("`{0}` needs `at` or `every`: {0} = {{ at = [\"03:30\"] }}", node.key));
    }
    if (!planned && regular && (node.find("days") != nullptr || node.find("timezone") != nullptr)) {
        faults.add(node.position,
                   fmt::format("`days` and `timezone` of `{}` need `at` and have no effect with `every`", node.key));
    }
    if (planned) {
        const Reader inherited({&node, tables.own, tables.shared, tables.library, tables.defaults, tables.service}, "",
                               nullptr);
        read_times(reader, inherited, schedule);
    } else {
        reader.read("every", schedule.interval);
    }
    schedule.splay = resource.schedule.splay;
    return schedule;
}

// Reads when the whole list is walked, if ordinary passes ask for changes only, or recent windows are walked again.
void read_full(const Reader& layers, const ScheduleTables& tables, Resource& resource, FaultList& faults)
{
    const bool windowed = layers.has("window");  // also if it is faulty, which was reported
    if (!layers.has("full") && (resource.incremental || resource.window)) {
        resource.full.emplace();
        resource.full->interval = std::max<Duration>(std::chrono::hours(24), resource.schedule.interval);
        return;
    }
    const auto* node = layers.take("full");
    if (node == nullptr) {
        return;
    }
    resource.full = read_own_schedule(tables, *node, resource, faults);
    const auto* back = node->find("back");
    if (back != nullptr && resource.window) {
        resource.window->back = parse_duration(back->text).value_or(resource.window->back);
    } else if (back != nullptr && !windowed) {
        faults.add(
            back->key_position,
            fmt::format("`back` selects the windows that are walked again, but {} has no `window`: remove `back`",
                        resource.name));
    }
    if (!resource.incremental && !windowed) {
        faults.add(node->key_position,
                   fmt::format("`full` sets when the whole list is walked in addition to incremental passes; resource "
                               "{} has no `incremental`, so every pass is full: remove `full`, or add `incremental`",
                               resource.name));
    }
}

void read_settle(const Reader& layers, const ScheduleTables& tables, Resource& resource, FaultList& faults)
{
    const auto* node = layers.take("settle");
    if (node == nullptr) {
        return;
    }
    resource.settle = read_own_schedule(tables, *node, resource, faults);
    const auto* back = node->find("back");
    if (back != nullptr && resource.window) {
        resource.window->settle_back = parse_duration(back->text);
        if (resource.window->settle_back && *resource.window->settle_back <= resource.window->back) {
            faults.add(
                back->key_position,
                "`settle` walks windows that `full` does not reach: its `back` must be longer than that of `full`");
        }
    }
    if (!layers.has("window")) {
        faults.add(
            node->key_position,
            fmt::format("`settle` sets when old windows are walked again, but {} has no `window`: remove `settle`",
                        resource.name));
    }
}

// True for a day, or an instant with its offset.
bool is_beginning(const std::string& text)
{
    return Instant::from_rfc3339(text.size() == 10 ? text + "T00:00:00Z" : text).has_value();
}

void read_window(const Reader& layers, const ScheduleTables& tables, Resource& resource, FaultList& faults)
{
    const auto* node = layers.take("window");
    if (node == nullptr) {
        return;
    }
    auto& window = resource.window.emplace();
    const Reader reader({node}, "", nullptr);
    reader.read("from", window.from);
    reader.read("to", window.to);
    reader.read("field", window.field);
    reader.read("step", window.step);
    reader.read("since", window.since);
    const Reader zones({node, tables.own, tables.shared, tables.library, tables.defaults, tables.service}, "", nullptr);
    zones.read("timezone", window.timezone);
    if (const auto* since = node->find("since"); since != nullptr && !is_beginning(window.since)) {
        faults.add(since->position, fmt::format("since must be a day or an instant, like \"2023-01-01\" or "
                                                "\"2023-01-01T06:00:00Z\", not \"{}\"",
                                                window.since));
    }
    if (std::find(resource.exclude.begin(), resource.exclude.end(), window.field) != resource.exclude.end()) {
        faults.add(
            node->find("field")->position,
            fmt::format("{} is excluded but decides in which window a row is: remove it from exclude", window.field));
    }
    if (window.from == window.to) {
        faults.add(node->find("to")->position,
                   "`from` and `to` must be two different parameters; with only one, write it as `from`");
    }
    if (resource.answers == Answers::object) {
        faults.add(node->key_position,
                   fmt::format("window needs a list, but {} answers with one object: remove window", resource.name));
    }
    if (resource.incremental) {
        faults.add(node->key_position,
                   fmt::format("window and incremental exclude each other: remove one of them from resource {}",
                               resource.name));
    }
}

void read_late_after(const Reader& reader, Resource& resource, FaultList& faults)
{
    const auto* node = reader.take("late_after");
    if (node == nullptr) {
        return;
    }
    resource.late_after = parse_duration(node->text);
    const auto& schedule = resource.schedule;
    if (schedule.at.empty() && resource.late_after < schedule.interval) {
        faults.warn(node->position,
                    fmt::format("`late_after` is shorter than `every` ({}) of resource {}: the table will "
                                "be late before its next pass",
                                format_duration(schedule.interval), resource.name));
    }
    if (!schedule.at.empty() && resource.late_after < max_gap(schedule.at, schedule.days)) {
        faults.warn(
            node->position,
            fmt::format("late_after is shorter than the {} between two planned times of resource {}: the table will be "
                        "late before its next pass; without late_after, it is late two hours after a planned time",
                        format_duration(max_gap(schedule.at, schedule.days)), resource.name));
    }
}

}  // namespace

void bind_schedule(const ScheduleTables& tables, const std::string& prefix, Origins* origins, Resource& resource,
                   FaultList& faults)
{
    const Reader reader({tables.own, tables.shared, tables.defaults}, prefix, origins);
    // Nearest first: the library's value applies before [defaults], that of [service] last.
    const Reader inherited({tables.own, tables.shared, tables.library, tables.defaults, tables.service}, prefix,
                           origins);
    auto& schedule = resource.schedule;
    const auto* rhythm = find_rhythm(tables, resource, faults);
    if (rhythm != nullptr && rhythm->find("at") != nullptr) {
        read_times(reader, inherited, schedule);
    } else if (rhythm != nullptr) {
        reader.read("every", schedule.interval);
        refuse_idle_keys(tables, rhythm, faults);
    }
    if (const auto* splay = reader.take("splay")) {
        schedule.splay = parse_share(splay->text).value_or(schedule.splay);
    }
    read_window(reader, tables, resource, faults);
    read_full(reader, tables, resource, faults);
    read_settle(reader, tables, resource, faults);
    read_late_after(inherited, resource, faults);
}

}  // namespace shelfd::config
