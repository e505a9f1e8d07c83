// What is said of a pause that the service asks for (429, Retry-After).
#pragma once

#include "base/instant.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <string_view>

namespace shelfd {

// A person who waits for an answer longer than that would not know why: a longer pause is told instead.
inline constexpr Duration longest_silence = std::chrono::seconds(10);

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
