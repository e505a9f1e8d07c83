// What a reload would change, and what that costs in requests.
#pragma once

#include "base/result.hpp"
#include "config/model/model.hpp"
#include "ctl/plan/budget_plan.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::ctl {

struct ConfigurationChange {
    enum class Kind { added, removed, changed };
    enum class Area {
        library,  // its own keys, or as a whole
        table,
        daemon,  // log, control and hooks: the daemon reports what becomes of them
        other,
    };
    Kind kind = Kind::changed;
    Area area = Area::other;
    std::string subject;  // of a library or table, as costs are named: "ghent", "ghent.stock"; "" for others
    std::string key;      // of the key that changed; "" = the whole
    std::string what;     // "library liege", "ghent.stock every \"15m\" → \"5m\""
    // More or fewer requests an hour; empty if it costs none, or if that is unknown before a first pass.
    std::optional<double> requests_an_hour;
    bool is_unknown = false;  // it costs something, but nobody knows how much
    // Of one change in several libraries: how many they are, and how many of them have unknown costs, which
    // `requests_an_hour` leaves out.
    std::size_t libraries = 1;
    std::size_t unknown = 0;
};

// `before` and `after` are whole configurations as config::show prints them. Changes of single keys; a library or a
// table that is added, removed or renamed is one change. In the order of `after`, removals last. Pure.
std::vector<ConfigurationChange> compare_configurations(const std::string& before, const std::string& after);

// The requests an hour, on average of a day: of each library with its canaries ("ghent"), of each table
// ("ghent.stock"), and the canaries alone ("ghent canaries"); empty for tables whose size is unknown. Paused libraries
// cost nothing.
using Costs = std::map<std::string, std::optional<double>>;
Costs costs_of(const std::vector<PlannedLibrary>& libraries, Instant now);

// Sets the costs of the changes: the first change of a table, or that of a whole library or of its key `paused` or
// `quiet`, has the difference. That of the canaries is in the first change of a library.
void add_costs(std::vector<ConfigurationChange>& changes, const Costs& before, const Costs& after);

// The sum of all whose costs are known, and how many are unknown.
struct TotalCost {
    double requests_an_hour = 0;
    std::size_t unknown = 0;
};
TotalCost total_of(const std::vector<ConfigurationChange>& changes);

// "~ ghent.stock every \"15m\" → \"5m\": +310 requests/h"
std::string to_text(const ConfigurationChange& change);

}  // namespace shelfd::ctl
