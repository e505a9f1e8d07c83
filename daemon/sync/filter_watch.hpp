// Whether an incremental pass is sent what it did not ask for: then its filter is not obeyed any more.
#pragma once

#include "base/instant.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace shelfd::sync {

// The value of `field`, verbatim, of the first row (of an array, as sent) that was modified more than two days before
// `since`; nullopt where there is none. Two days: filters by day, zones, and instants without a zone differ by less.
// Rows whose `field` is not readable are passed over.
std::optional<std::string> first_unsolicited(std::string_view rows, const std::string& field, Instant since);

}  // namespace shelfd::sync
