// Whether an incremental pass is sent what it did not ask for: then its filter is not obeyed any more.
#pragma once

#include "base/instant.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace shelfd::sync {

// When the first of the rows (an array, as sent) changed that says in `field` that it did so before `since`: as it says
// it. By more than two days, since filters by day, zones, and instants without a zone differ by less. Rows that say
// nothing readable there are passed over. nothing: there is no such row.
std::optional<std::string> first_unasked(std::string_view rows, const std::string& field, Instant since);

}  // namespace shelfd::sync
