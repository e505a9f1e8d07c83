// The date filters of lists: modified_date__gt and its kin, as django-filter reads them.
#pragma once

#include "sim/list_data.hpp"
#include "sim/message.hpp"

#include <variant>

namespace shelfd::sim {

// The rows that pass every filter of the query, in the order given; or the refusal of the first bad value.
// A value without a time of day has the granularity of a day: modified_date__gt=2024-01-06 begins with the 7th.
// Names that are no filters are ignored, as are empty values.
std::variant<ListData::View, Reply> filtered(const ListData::View& rows, const Query& query);

}  // namespace shelfd::sim
