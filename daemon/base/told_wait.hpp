// Waits as services write them: seconds, or the time at which they end, in any of the usual forms.
#pragma once

#include "base/instant.hpp"

#include <optional>
#include <string_view>

namespace shelfd {

// Nothing that a service asks for is waited for longer without another look.
inline constexpr Duration max_told_wait = std::chrono::hours(24);

// What a bare number counts. A number too large for a span is a Unix time in either case.
enum class WaitUnit { seconds, milliseconds };

// How long to wait from `service_now`: a span ("60", "2.0", "6m0s", "120ms"), a Unix time in seconds, milliseconds or
// microseconds (told apart by size), an HTTP date or an RFC 3339 instant. From 0 to `max_told_wait`: what is gone by is
// 0. nothing for what cannot be read, a negative number, or a Unix time that is more than a year away.
std::optional<Duration> told_wait(std::string_view text, Instant service_now, WaitUnit unit = WaitUnit::seconds);

}  // namespace shelfd
