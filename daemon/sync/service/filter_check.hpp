// Checks the filter of an incremental pass, and when its rows were changed, by the dates of the rows.
#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd::sync {

// A time that needs no zone to be understood: RFC 3339, an HTTP date, or seconds or milliseconds since 1970.
std::optional<Instant> exact_time(const std::string& text);
// Completes "2026-01-05 10:07" to "2026-01-05T10:07:00".
std::string completed(std::string text);

// Returns the value of `field`, verbatim, of the first row (of an array, as sent) that was modified more than two days
// before `since`; empty if there is none. Two days exceed the difference that filters by day, time zones and instants
// without a zone can make. Rows whose `field` is unreadable are skipped.
std::optional<std::string> first_unsolicited(std::string_view rows, const std::string& field, Instant since);

// True if every row changed at `since` or later by its own `field`, with the same tolerance of two days. False if the
// `field` of a row is unreadable.
bool are_all_later(std::string_view rows, const std::string& field, Instant since);

// The number of rows (of an array, as sent) that changed at `began` or later by their own `field`, or may have: rows
// with an unreadable `field` count. A day counts to its end, an instant without a zone in any zone.
std::uint64_t changed_since(std::string_view rows, const std::string& field, Instant began);

}  // namespace shelfd::sync
