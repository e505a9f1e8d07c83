// The time axis of a ledger, cut into windows: whole days by the calendar of a zone, other steps by the clock.
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

// Half-open. A day that the zone leaves out has `from` == `to`: no instant lies in it.
struct Window {
    std::int64_t number = 0;  // from 0
    Instant from;
    Instant to;

    bool is_empty() const { return from == to; }
    friend bool operator==(const Window&, const Window&) = default;
};

// So long after its end a window still gets rows: tills and queues deliver what is late.
inline constexpr Duration lateness = std::chrono::hours(2);

// "2024-02-29", as a day of the calendar.
bool is_day(std::string_view text);
// "2024-02-29T12:00:00", "2024-02-29 12:00:00.250": what clocks show, without a word on their zone.
bool is_clock_time(std::string_view text);

// Immutable, cheap to copy, any thread. Each window ends where the next one begins, so that every instant from the
// first window on lies in exactly one; a day has 23 or 25 hours where clocks are moved.
class Windows {
public:
    // `since` is a day or an instant (RFC 3339); `step` at least an hour. Steps of whole days begin with a day. Reads
    // the system's time zones. Errors: config.
    static Result<Windows> load(std::string_view since, Duration step, const std::string& zone);

    Window window(std::int64_t number) const;
    // The one in which the instant lies; the first one for all that comes before.
    Window at(Instant instant) const;
    Instant since() const { return window(0).from; }
    bool is_by_days() const { return days_ > 0; }

    // The day that the clocks of the zone show, "2024-02-29".
    std::string day_of(Instant instant) const;
    // The first instant of such a day; nothing for what is no day.
    std::optional<Instant> begin_of(std::string_view day) const;
    // Of a day its first instant; of what clocks show the instant at which those of the zone do, the first one where
    // they do so twice, the next one where they never do; else RFC 3339.
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
    std::int64_t first_day_;  // since 1970, by the calendar
    std::int64_t days_;       // of one step; 0: not by the calendar
    Duration step_;
    const date::time_zone* zone_;  // lives as long as the program
};

}  // namespace shelfd::schedule
