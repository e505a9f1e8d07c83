// The longest address that is accepted from a service for the next request.
#pragma once

#include <cstddef>

namespace shelfd::http {

// Servers accept a request line of 4 to 64 KiB (nginx 8, Apache 8, gunicorn 4); all refuse longer ones, each with a
// different message or none.
constexpr std::size_t max_target = 64u << 10;

}  // namespace shelfd::http
