// The time axis of a ledger, divided into windows: whole calendar days of a zone, or other steps of elapsed time.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace date {
class time_zone;
}

namespace shelfd::schedule {

// Half-open: [from, to). A day that the zone skips has `from` == `to`: no instant lies in it.
struct Window {
    std::int64_t number = 0;  // from 0
    Instant from;
    Instant to;

    bool is_empty() const { return from == to; }
    friend bool operator==(const Window&, const Window&) = default;
};

// A window still gets rows this long after its end: tills and queues deliver late.
inline constexpr Duration lateness = std::chrono::hours(2);

// True for "2024-02-29", a valid calendar day.
bool is_day(std::string_view text);
// True for "2024-02-29T12:00:00", "2024-02-29 12:00:00.250": local time without a zone.
bool is_clock_time(std::string_view text);

// Immutable, cheap to copy, any thread. Each window ends where the next one begins, so that every instant from the
// first window on lies in exactly one. A day has 23 or 25 hours when clocks change.
class Windows {
public:
    // `since` is a day or an instant (RFC 3339); `step` is at least an hour. Steps of whole days start at midnight of a
    // day. Reads the system's time zones. Errors: config.
    static Result<Windows> load(std::string_view since, Duration step, const std::string& zone);

    Window window(std::int64_t number) const;
    // The window of the instant; the first window for earlier instants.
    Window at(Instant instant) const;
    Instant since() const { return window(0).from; }
    bool is_by_days() const { return days_ > 0; }

    // The day that the clocks of the zone show, "2024-02-29"; days outside the years 0001 to 9999 give the nearest day
    // inside.
    std::string day_of(Instant instant) const;
    // The first instant of such a day; empty for text that is not a day.
    std::optional<Instant> begin_of(std::string_view day) const;
    // Parses a day (its first instant), a local time (the first instant at which the zone's clocks show it, or the next
    // one if they never do), or RFC 3339.
    std::optional<Instant> instant_of(std::string_view text) const;

private:
    Windows(Instant first, std::int64_t first_day, std::int64_t days, Duration step, const date::time_zone* zone)
        : first_(first), first_day_(first_day), days_(days), step_(step), zone_(zone)
    {
    }
    Instant begin(std::int64_t day) const;
    Instant first_at(std::chrono::microseconds shown) const;
    std::int64_t local_day(Instant instant) const;

    Instant first_;
    std::int64_t first_day_;  // days since 1970
    std::int64_t days_;       // days in one step; 0 = steps of elapsed time
    Duration step_;
    const date::time_zone* zone_;  // lives as long as the program
};

}  // namespace shelfd::schedule
