// What the rows of an incremental pass say of its filter, and of the moment at which they were changed.
#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd::sync {

// The value of `field`, verbatim, of the first row (of an array, as sent) that was modified more than two days before
// `since`; nullopt where there is none. Two days: filters by day, zones, and instants without a zone differ by less.
// Rows whose `field` is not readable are passed over.
std::optional<std::string> first_unsolicited(std::string_view rows, const std::string& field, Instant since);

// Whether there are no rows but such as changed at `since` or later by their own `field`, give or take these two days.
bool are_all_later(std::string_view rows, const std::string& field, Instant since);

// How many rows (of an array, as sent) changed at `began` or later by their own `field`, or may have: where it cannot
// be read. A day counts to its end, and an instant without a zone may be in any.
std::uint64_t changed_since(std::string_view rows, const std::string& field, Instant began);

}  // namespace shelfd::sync
