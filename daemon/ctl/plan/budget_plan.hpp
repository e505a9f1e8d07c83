// What a configuration will cost in requests, against what the service allows; worked out before anything is sent.
#pragma once

#include "config/model/model.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::ctl {

// What is known of a table; nothing = not yet.
struct TableSize {
    std::optional<std::uint64_t> rows;
    // Requests of a pass, as the last ones took; canaries left out.
    std::optional<double> full_requests;
    std::optional<double> incremental_requests;
    std::optional<std::uint64_t> lists = {};  // by parent: rows of the parent
    std::uint64_t windows = 1;                // of a ledger: from its beginning until now
};

struct PlannedLibrary {
    const config::Library* library = nullptr;
    std::map<std::string, TableSize> sizes;  // by resource
};

// Passes of one kind over one table; of details, each is one item. Of a ledger, `window` are those over its newest
// windows, `full` those over the windows that ended within `back`, `settle` those over all others.
struct PlannedPasses {
    enum class Kind { incremental, window, full, settle, detail };
    std::string library;
    std::string resource;
    Kind kind = Kind::full;
    std::string when;  // "every 15m", "at 03:30 on 5 days"
    double passes_a_minute = 0;
    std::optional<double> requests;  // of one; nothing = nobody knows how long the list is
    bool measured = false;           // by earlier passes, not from the number of rows
    bool starves = false;            // the limit is used up by what goes before it
    double walks = 1;                // windows, or lists by parent, each of which asks by itself whose the token is

    double requests_a_minute() const { return passes_a_minute * requests.value_or(0); }
};

// Everything that shares one limit.
struct GroupPlan {
    std::string name;
    std::optional<std::uint32_t> limit;  // requests a minute
    std::vector<PlannedPasses> passes;   // in configuration order
    double canaries_a_minute = 0;
    double requests_a_minute = 0;  // of all that is known, canaries included
    bool all_known = true;
    double first_load_requests = 0;  // of the lists whose length is known

    bool fits() const { return !limit || requests_a_minute <= static_cast<double>(*limit); }
    // How long every list takes once, at best; nothing without a limit.
    std::optional<Duration> first_load() const;
};

// Paused libraries are left out. Incremental passes go first, and newest windows, as the limiter lets them; then full
// ones; last come old windows and the details that are looked at again, which take turns. `now` says how long each
// ledger is.
std::vector<GroupPlan> plan_budget(const std::vector<PlannedLibrary>& libraries, Instant now);

}  // namespace shelfd::ctl
