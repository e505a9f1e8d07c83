// Points in time: Instant on the wall clock, BootTime on a clock that nobody can set.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd {

using Duration = std::chrono::microseconds;

// A point on the wall clock, microseconds since 1970-01-01T00:00:00Z. May jump in either direction.
class Instant {
public:
    constexpr Instant() = default;
    static constexpr Instant from_micros(std::int64_t micros) { return Instant(micros); }
    static constexpr Instant from_seconds(std::int64_t seconds) { return Instant(seconds * 1'000'000); }

    constexpr std::int64_t micros() const { return micros_; }
    // Rounded down, also before 1970.
    constexpr std::int64_t seconds() const { return micros_ / 1'000'000 - (micros_ % 1'000'000 < 0 ? 1 : 0); }

    // "2024-01-06T06:00:00.999999Z": fixed width, so that text order is time order.
    std::string to_text() const;
    // "2024-01-06T06:00:00Z": for people and logs.
    std::string to_short_text() const;

    // Parses an RFC 3339 date-time with any number of fraction digits (digits after the sixth are cut) and 'Z' or an
    // offset. Returns an empty optional for anything else, including times without an offset and the year 0.
    static std::optional<Instant> from_rfc3339(std::string_view text);
    // Parses any of the three forms of an HTTP date (RFC 9110 section 5.6.7).
    static std::optional<Instant> from_http_date(std::string_view text);

    friend constexpr auto operator<=>(Instant, Instant) = default;
    friend constexpr Instant operator+(Instant at, Duration by) { return Instant(at.micros_ + by.count()); }
    friend constexpr Instant operator-(Instant at, Duration by) { return Instant(at.micros_ - by.count()); }
    friend constexpr Duration operator-(Instant a, Instant b) { return Duration(a.micros_ - b.micros_); }

private:
    constexpr explicit Instant(std::int64_t micros) : micros_(micros) {}
    std::int64_t micros_ = 0;
};

// A point on CLOCK_BOOTTIME: microseconds since boot, including suspend. Never goes back; has no meaning after a reboot
// (a different boot id).
class BootTime {
public:
    constexpr BootTime() = default;
    static constexpr BootTime from_micros(std::int64_t micros) { return BootTime(micros); }
    constexpr std::int64_t micros() const { return micros_; }

    friend constexpr auto operator<=>(BootTime, BootTime) = default;
    friend constexpr BootTime operator+(BootTime at, Duration by) { return BootTime(at.micros_ + by.count()); }
    friend constexpr BootTime operator-(BootTime at, Duration by) { return BootTime(at.micros_ - by.count()); }
    friend constexpr Duration operator-(BootTime a, BootTime b) { return Duration(a.micros_ - b.micros_); }

private:
    constexpr explicit BootTime(std::int64_t micros) : micros_(micros) {}
    std::int64_t micros_ = 0;
};

// Parses "90s", "15m", "1h30m", "7d", "2w", "250ms": positive whole numbers with units ms s m h d w, largest first,
// together at most a thousand years.
std::optional<Duration> parse_duration(std::string_view text);
// Formats in the same form: "1h30m". Exact for multiples of a millisecond. Zero is "0s".
std::string format_duration(Duration duration);
// Formats for people: "3 s", "12 min", "5 h", "2 d"; one unit, rounded down.
std::string describe_duration(Duration duration);

}  // namespace shelfd
