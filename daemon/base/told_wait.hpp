// Waits as services write them: seconds, or the time at which the wait ends, in any of the usual forms.
#pragma once

#include "base/instant.hpp"

#include <optional>
#include <string_view>

namespace shelfd {

// The longest wait: after it the daemon tries again, even if the service asked for more.
inline constexpr Duration max_told_wait = std::chrono::hours(24);

// Unit of a bare number. A number too large for a span is a Unix time in either case.
enum class WaitUnit { seconds, milliseconds };

// Returns how long to wait from `service_now`. Accepts a span ("60", "2.0", "6m0s", "120ms"), a Unix time in seconds,
// milliseconds or microseconds (told apart by size), an HTTP date or an RFC 3339 instant. The result is from 0 to
// `max_told_wait`; 0 for a time in the past. Empty for unreadable text, a negative number, or a Unix time more than a
// year away.
std::optional<Duration> told_wait(std::string_view text, Instant service_now, WaitUnit unit = WaitUnit::seconds);

}  // namespace shelfd
