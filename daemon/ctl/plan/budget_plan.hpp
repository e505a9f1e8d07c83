// The expected cost of a configuration in requests, compared with the limit; computed before any request is sent.
#pragma once

#include "base/time_of_day.hpp"
#include "config/model/model.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::ctl {

// What is known of a table; empty = not yet.
struct TableSize {
    std::optional<std::uint64_t> rows;
    // Requests of a pass, as measured in the last ones; without canaries.
    std::optional<double> full_requests;
    std::optional<double> incremental_requests;
    std::optional<std::uint64_t> lists = {};  // lists by parent: rows of the parent
    std::uint64_t windows = 1;                // of a ledger: from its beginning until now
};

struct PlannedLibrary {
    const config::Library* library = nullptr;
    std::map<std::string, TableSize> sizes;  // by resource
};

// Requests of a walk over the whole list, as measured or computed; for lists by parent, over all of them. Empty if the
// length is unknown.
std::optional<double> full_requests(const config::Library& library, const config::Resource& resource,
                                    const TableSize& size);

// Passes of one kind over one table; for details each is one item. For a ledger, `window` are those over its newest
// windows, `full` over windows that ended within `back`, `settle` over all others.
struct PlannedPasses {
    enum class Kind { incremental, window, full, settle, detail };
    std::string library;
    std::string resource;
    Kind kind = Kind::full;
    std::string when;  // "every 15m", "at 03:30 on 5 days"
    double passes_a_minute = 0;
    std::optional<double> requests;  // for one pass; empty = the length of the list is unknown
    bool measured = false;           // by earlier passes, not computed from the number of rows
    bool starves = false;            // passes that precede it use up the limit
    double walks = 1;                // windows, or lists by parent, each of which asks the canary
    double awake = 1;                // share of the day in which they are made: less than 1 with quiet hours
    double least = 0;                // requests of one pass at least, where `requests` is empty

    double requests_a_minute() const { return passes_a_minute * requests.value_or(0); }
    // The daemon compares the same with the limit.
    double least_a_minute() const { return passes_a_minute * requests.value_or(least); }
};

// All passes that share one limit.
struct GroupPlan {
    std::string name;
    std::optional<std::uint32_t> limit;  // requests a minute
    std::vector<PlannedPasses> passes;   // in configuration order
    double canaries_a_minute = 0;
    double requests_a_minute = 0;  // at least, canaries included: a list of unknown length counts as one page
    bool all_known = true;
    double first_load_requests = 0;  // of the lists whose length is known
    std::vector<TimeSpan> quiet;     // hours in which some of its libraries send nothing by schedule

    bool fits() const { return !limit || requests_a_minute <= static_cast<double>(*limit); }
    // The shortest time to load every list once; empty without a limit.
    std::optional<Duration> first_load() const;
};

// Paused libraries are left out. Incremental passes and newest windows come first, as in the limiter; then full passes;
// last old windows and details to refresh, which take turns. `now` determines the length of ledgers.
std::vector<GroupPlan> plan_budget(const std::vector<PlannedLibrary>& libraries, Instant now);

}  // namespace shelfd::ctl
