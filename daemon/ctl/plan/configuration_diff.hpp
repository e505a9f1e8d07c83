// What a reload would change, for people; what it costs: change_costs.hpp.
#pragma once

#include <cstddef>
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
    std::string subject;           // of a library or table, as costs are named: "ghent", "ghent.stock"; "" for others
    std::string key;               // of the key that changed; "" = the whole
    std::string what;              // "library liege", "ghent.stock every \"15m\" → \"5m\""
    std::string consequence = {};  // for rows and the change feed; "" = none
    // More or fewer requests an hour, as far as they are known; empty if there are none.
    std::optional<double> requests_an_hour;
    bool is_unknown = false;               // some of its requests are unknown before a first pass:
    std::vector<std::string> unread = {};  // those of these lists
    // Of one change in several libraries: how many they are, and of how many all or some costs are unknown.
    std::size_t libraries = 1;
    std::size_t unknown = 0;
    std::size_t partly_unknown = 0;
};

// `before` and `after` are whole configurations as config::show prints them. Changes of single keys; a library or a
// table that is added, removed or renamed is one change. In the order of `after`, removals last. Pure.
std::vector<ConfigurationChange> compare_configurations(const std::string& before, const std::string& after);

// The sum of what is known, and in how many changes something is unknown.
struct TotalCost {
    double requests_an_hour = 0;
    std::size_t unknown = 0;
};
TotalCost total_of(const std::vector<ConfigurationChange>& changes);

// "~ ghent.stock every \"15m\" → \"5m\": +310 requests/h"
std::string to_text(const ConfigurationChange& change);

}  // namespace shelfd::ctl
