// How long an address may be that a service names for the next request.
#pragma once

#include <cstddef>

namespace shelfd::http {

// Servers take 4 to 64 KiB of a request line (nginx 8, Apache 8, gunicorn 4); what is longer is refused by all of them,
// each in its own words or by none.
constexpr std::size_t max_target = 64u << 10;

}  // namespace shelfd::http
