// Local times of day in which nothing is requested by schedule: "22:00-06:00".
#pragma once

#include "base/time_of_day.hpp"
#include "schedule/planned_times.hpp"

#include <memory>
#include <string>
#include <vector>

namespace shelfd::schedule {

// Immutable, cheap to copy, any thread. Days and times are those of the zone: a time that the clock skips counts as the
// first instant after the gap, one that it shows twice counts the first time.
class QuietHours {
public:
    QuietHours() = default;  // none
    // Overlapping spans count as one. Errors: config for an unknown zone, or if the spans leave no time of the day.
    static Result<QuietHours> load(const std::vector<TimeSpan>& spans, const std::string& zone);

    bool is_empty() const { return !times_; }
    // The end of the quiet hours in which `at` lies; otherwise `at`.
    Instant end_after(Instant at) const;
    // The instant at which `age` has passed since `from`, not counting quiet hours.
    Instant after(Instant from, Duration age) const;
    // The longest of them, without clock changes; 0 if there are none.
    Duration longest() const;

private:
    struct Times {
        PlannedTimes begins;
        PlannedTimes ends;
        Duration longest;
    };
    explicit QuietHours(std::shared_ptr<const Times> times) : times_(std::move(times)) {}

    std::shared_ptr<const Times> times_;  // shared by the tables of a library; nullptr = none
};

}  // namespace shelfd::schedule
