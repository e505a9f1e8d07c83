// Names of tables and columns, ready to stand in SQL.
#pragma once

#include "storage/sql_names.hpp"

#include <string>
#include <string_view>

namespace shelfd::mirror {

using storage::identifier;
using storage::state_name;

// Rows of a pass that is not published yet, in the columns of the table they are for.
inline std::string staging_name(std::string_view resource)
{
    return "_staging_" + std::string(resource);
}
// What `state_name` is for the rows of the table, for those in staging.
inline std::string seen_name(std::string_view resource)
{
    return "_seen_" + std::string(resource);
}
// Rows that went, where the configuration keeps them. Readers see it.
inline std::string deleted_name(std::string_view resource)
{
    return std::string(resource) + "_deleted";
}

// What each row's own address says beyond the list.
inline std::string detail_name(std::string_view resource)
{
    return std::string(resource) + "_detail";
}
// The view of both.
inline std::string full_name(std::string_view resource)
{
    return std::string(resource) + "_full";
}
// Which details are fetched next: a line for each row of the list.
inline std::string queue_name(std::string_view resource)
{
    return "_queue_" + std::string(resource);
}

}  // namespace shelfd::mirror
