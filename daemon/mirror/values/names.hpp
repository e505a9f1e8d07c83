// Names of tables and columns, as written in SQL.
#pragma once

#include "storage/sql_names.hpp"

#include <string>
#include <string_view>

namespace shelfd::mirror {

using storage::identifier;
using storage::state_name;

// Rows of a pass that is not published yet, with the columns of their table.
inline std::string staging_name(std::string_view resource)
{
    return "_staging_" + std::string(resource);
}
// States of the rows in staging, as `state_name` for those of the table.
inline std::string seen_name(std::string_view resource)
{
    return "_seen_" + std::string(resource);
}
// Deleted rows, if the configuration keeps them. Visible to readers.
inline std::string deleted_name(std::string_view resource)
{
    return std::string(resource) + "_deleted";
}

// Details of the rows, from their own addresses.
inline std::string detail_name(std::string_view resource)
{
    return std::string(resource) + "_detail";
}
// The view that joins both.
inline std::string full_name(std::string_view resource)
{
    return std::string(resource) + "_full";
}
// Order in which details are fetched: a line for each row of the list.
inline std::string queue_name(std::string_view resource)
{
    return "_queue_" + std::string(resource);
}

}  // namespace shelfd::mirror
