// Names as they stand in SQL, and those of tables in a mirror that the daemon and shelfctl must agree on.
#pragma once

#include <string>
#include <string_view>

namespace shelfd::storage {

// In double quotes, those inside doubled.
inline std::string identifier(std::string_view name)
{
    std::string out = "\"";
    for (const char c : name) {
        out.append(c == '"' ? 2 : 1, c);
    }
    return out += '"';
}

// What a mirror knows about each row of a table: key, content hash, ordinal, how many passes missed it.
inline std::string state_name(std::string_view resource)
{
    return "_state_" + std::string(resource);
}

}  // namespace shelfd::storage
