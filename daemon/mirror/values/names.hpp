// Names of tables and columns, ready to stand in SQL.
#pragma once

#include <string>
#include <string_view>

namespace shelfd::mirror {

// As an SQL identifier: in double quotes, those inside doubled.
inline std::string identifier(std::string_view name)
{
    std::string out = "\"";
    for (const char c : name) {
        out.append(c == '"' ? 2 : 1, c);
    }
    return out += '"';
}

// Rows of a pass that is not published yet, in the columns of the table they are for.
inline std::string staging_name(std::string_view resource)
{
    return "_staging_" + std::string(resource);
}
// What is known about each row: key, content hash, ordinal, how many passes missed it.
inline std::string state_name(std::string_view resource)
{
    return "_state_" + std::string(resource);
}
// The same for the rows in staging.
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
