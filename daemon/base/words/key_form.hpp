// How a person writes the key of a row on the command line.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace shelfd {

// "write the value of id"; for a key of several members: "write outlet_id and id as a list, texts in double quotes:
// '[7,"a"]'".
inline std::string key_form(const std::vector<std::string>& members)
{
    if (members.size() == 1) {
        return fmt::format("write the value of {}", members.front());
    }
    std::string sample;
    for (std::size_t i = 0; i < members.size(); ++i) {
        sample += i == 0 ? "7" : i == 1 ? ",\"a\"" : ",8";
    }
    return fmt::format("write {} as a list, texts in double quotes: '[{}]'", fmt::join(members, " and "), sample);
}

}  // namespace shelfd
