#include "ctl/plan/change_costs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace shelfd::ctl {
namespace {

using Kind = ConfigurationChange::Kind;
using Area = ConfigurationChange::Area;

// Requests an hour of one library.
struct LibraryCost {
    double known = 0;
    std::map<std::string, std::vector<double>> unread;  // passes of lists whose length is unknown, by list
};

LibraryCost cost_of(const PlannedLibrary& library, Instant now)
{
    LibraryCost cost;
    const auto plan = plan_budget({library}, now);
    if (plan.empty()) {
        return cost;  // paused
    }
    double all = 0;
    double awake = 0;
    for (const auto& passes : plan.front().passes) {
        all += passes.passes_a_minute;
        awake += passes.passes_a_minute * passes.awake;
        cost.known += passes.requests_a_minute() * 60 * passes.awake;
        if (!passes.requests) {
            cost.unread[passes.resource].push_back(passes.passes_a_minute * passes.awake);
        }
    }
    cost.known += all > 0 ? plan.front().canaries_a_minute * 60 * awake / all : 0;
    return cost;
}

// A copy of a library that becomes another one change by change.
class Transition {
public:
    Transition(const PlannedLibrary& before, const PlannedLibrary& after)
        : library_(*before.library), sizes_(before.sizes), after_(*after.library)
    {
    }

    // `completes`: whatever else changes in its table is made with it.
    void make(const ConfigurationChange& change, bool completes)
    {
        if (change.area == Area::library) {
            take_key(change.key);
        } else if (change.area == Area::table) {
            take_table(change.subject.substr(change.subject.find('.') + 1), completes ? "" : change.key);
        }
    }
    LibraryCost cost(Instant now) const { return cost_of({&library_, sizes_}, now); }

private:
    void take_key(const std::string& key)
    {
        if (key == "paused") {
            library_.paused = after_.paused;
        } else if (key == "quiet") {
            library_.service.quiet = after_.service.quiet;
        } else if (key == "token_kind") {
            library_.application.token_kind = after_.application.token_kind;
        } else if (key == "page_size") {
            take_page_size();
        }
    }

    // Passes were measured with pages of the former size.
    void take_page_size()
    {
        const auto former = library_;
        library_.service.page_size = after_.service.page_size;
        for (const auto& resource : library_.resources) {
            auto& size = sizes_[resource.name];
            auto counted = size;
            counted.full_requests.reset();
            const auto was = full_requests(former, resource, counted);
            const auto is = full_requests(library_, resource, counted);
            if (size.full_requests && was && is && *was > 0) {
                size.full_requests = *size.full_requests * *is / *was;
            }
        }
    }

    // "" = all keys.
    void take_table(const std::string& name, const std::string& key)
    {
        const auto* wanted = after_.find_resource(name);
        auto& all = library_.resources.own();
        const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
        if (wanted == nullptr) {
            std::erase_if(all, [&](const auto& one) { return one.name == name; });
        } else if (found == all.end()) {
            all.push_back(*wanted);
        } else if (key.empty()) {
            *found = *wanted;
        } else if (key == "every" || key == "at" || key == "days") {
            found->schedule = wanted->schedule;
        } else if (key == "full" && found->full && wanted->full) {
            found->full = wanted->full;
        } else if (key == "incremental" && found->full && wanted->full) {
            found->incremental = wanted->incremental;
        } else if (key == "detail") {
            found->detail = wanted->detail;
        }
    }

    config::Library library_;
    std::map<std::string, TableSize> sizes_;
    const config::Library& after_;
};

// Keys of a table without any influence on its requests.
bool costs_nothing(const std::string& key)
{
    constexpr std::array<std::string_view, 9> keys{"splay",   "needs",      "key",          "ordering", "timezone",
                                                   "exclude", "late_after", "keep_deleted", "changes"};
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// Of each table the change that completes it.
std::map<std::string, const ConfigurationChange*> completing(const std::vector<ConfigurationChange*>& changes)
{
    std::map<std::string, const ConfigurationChange*> last;
    for (const auto* change : changes) {
        auto& one = last[change->subject];
        one = one != nullptr && costs_nothing(change->key) ? one : change;
    }
    return last;
}

void set_cost(ConfigurationChange& change, const LibraryCost& was, const LibraryCost& is)
{
    auto lists = was.unread;
    lists.insert(is.unread.begin(), is.unread.end());
    const auto passes_in = [](const LibraryCost& cost, const std::string& list) {
        const auto found = cost.unread.find(list);
        return found == cost.unread.end() ? std::vector<double>() : found->second;
    };
    for (const auto& [list, passes] : lists) {
        if (passes_in(was, list) != passes_in(is, list)) {
            change.unread.push_back(list);
        }
    }
    // What is removed before its first pass never cost anything.
    if (change.kind == Kind::removed) {
        change.unread.clear();
    }
    change.is_unknown = !change.unread.empty();
    const bool is_of_unread_list = change.is_unknown && change.area == Area::table;  // canaries say little about it
    if (!is_of_unread_list && std::abs(is.known - was.known) >= 0.5) {
        change.requests_an_hour = is.known - was.known;
    }
}

using Planned = std::map<std::string, const PlannedLibrary*>;

Planned by_name(const std::vector<PlannedLibrary>& libraries)
{
    Planned all;
    for (const auto& library : libraries) {
        all[library.library->name] = &library;
    }
    return all;
}

const PlannedLibrary* find(const Planned& libraries, const std::string& name)
{
    const auto found = libraries.find(name);
    return found == libraries.end() ? nullptr : found->second;
}

// Of one library, in their order.
void add_costs(const std::vector<ConfigurationChange*>& changes, const PlannedLibrary& before,
               const PlannedLibrary& after, Instant now)
{
    Transition library(before, after);
    const auto last = completing(changes);
    auto was = library.cost(now);
    for (auto* change : changes) {
        library.make(*change, last.at(change->subject) == change);
        auto is = library.cost(now);
        set_cost(*change, was, is);
        was = std::move(is);
    }
}

}  // namespace

void add_costs(std::vector<ConfigurationChange>& changes, const std::vector<PlannedLibrary>& before,
               const std::vector<PlannedLibrary>& after, Instant now)
{
    const auto were = by_name(before);
    const auto are = by_name(after);
    std::map<std::string, std::vector<ConfigurationChange*>> of_library;
    for (auto& change : changes) {
        of_library[change.subject.substr(0, change.subject.find('.'))].push_back(&change);
    }
    for (const auto& [name, own] : of_library) {
        const auto* is = find(are, name);
        const auto* was = find(were, name);
        if (was == nullptr && is != nullptr) {
            was = find(were, is->library->formerly);
        }
        if (was != nullptr && is != nullptr) {
            add_costs(own, *was, *is, now);
            continue;
        }
        // The library as a whole; its rename costs nothing.
        for (auto* change : own) {
            const bool is_whole = change->kind != Kind::changed;
            const auto cost_before = was == nullptr || !is_whole ? LibraryCost() : cost_of(*was, now);
            const auto cost_after = is == nullptr || !is_whole ? LibraryCost() : cost_of(*is, now);
            set_cost(*change, cost_before, cost_after);
        }
    }
}

}  // namespace shelfd::ctl
