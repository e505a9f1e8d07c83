// The first form of an HTTP date (RFC 9110 section 5.6.7), which services write and the daemon only reads.
#pragma once

#include "base/instant.hpp"

#include <array>
#include <ctime>
#include <string>

namespace shelfd {

// "Sun, 06 Nov 1994 08:49:37 GMT"
inline std::string http_date(Instant at)
{
    const std::time_t seconds = at.seconds();
    std::tm parts = {};
    ::gmtime_r(&seconds, &parts);
    std::array<char, 64> text = {};
    const auto size = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    return {text.data(), size};
}

}  // namespace shelfd
