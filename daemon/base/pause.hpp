// What is said of a pause that the service asks for (429, Retry-After).
#pragma once

#include "base/instant.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace shelfd {

inline std::string describe_pause(Instant until)
{
    return fmt::format("rate limited by the service: no requests until {}", until.to_short_text());
}

// Whether a sentence says so already, perhaps with another reason.
inline bool says_pause(std::string_view text)
{
    return text.find("no requests until ") != std::string_view::npos;
}

}  // namespace shelfd
