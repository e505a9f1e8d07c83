// What the daemon did by itself because a mirror's file was broken, replaced or removed: kept in the file that took its
// place, so that people hear of it for a week.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "storage/sqlite.hpp"

#include <string>
#include <vector>

namespace shelfd::mirror {

struct Repair {
    Instant at;
    std::string file;
    std::string found;  // behind "the mirror of X"
    std::string done;   // one sentence without a point
    std::string aside;  // where the old file lies; "" = it was gone
};

// So long people are told of one.
inline constexpr Duration repair_is_news = std::chrono::hours(24 * 7);

// Newest first.
Result<std::vector<Repair>> load_repairs(storage::Database& database);
// Those that are news at `now`; lines of others go.
Result<void> save_repairs(storage::Database& database, const std::vector<Repair>& repairs, Instant now);

}  // namespace shelfd::mirror
