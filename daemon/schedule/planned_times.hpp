// Planned local times of day: when the next one is due ("03:30 in Brussels, on Mondays").
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "base/time_of_day.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace date {
class time_zone;
}

namespace shelfd::schedule {

// Immutable, cheap to copy, any thread. A planned time that the clock skips is due at the first instant after the gap;
// one that it shows twice is due the first time only. Days and times are those of the zone.
class PlannedTimes {
public:
    // Needs at least one time and one day. Errors: config for an unknown zone. Reads the system's time zones.
    static Result<PlannedTimes> load(std::vector<std::chrono::minutes> times, Weekdays days, const std::string& zone);

    // The first planned time later than `instant`.
    Instant next_after(Instant instant) const;
    // The longest distance between two planned times, without clock changes.
    Duration max_gap() const;

private:
    PlannedTimes(std::vector<std::chrono::minutes> times, Weekdays days, const date::time_zone* zone)
        : times_(std::move(times)), days_(days), zone_(zone)
    {
    }

    std::vector<std::chrono::minutes> times_;
    Weekdays days_;
    const date::time_zone* zone_;  // lives as long as the program
};

}  // namespace shelfd::schedule
