// Where the rest of a bare array is: the list has no frame, so its headers tell, if anything does.
#pragma once

#include "base/result.hpp"
#include "http/client.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace shelfd::sync {

// What the headers of a bare array say of the rest of its list.
struct ArrayRest {
    std::optional<std::string> next_query;  // of the next page in `Link` (RFC 8288), as sent, without '?'
    std::string next_path = {};             // of the same address
    std::optional<std::uint64_t> total;     // rows in all: X-Total-Count and its like, Content-Range, X-Pagination
};
// Errors: config, for a next page that has no query and so cannot be told from this one, or has too long an address.
Result<ArrayRest> rest_of_array(const http::Response& response);

// The service names a next page that only its path tells from others; `seen` says by what.
Error next_by_path(std::string_view seen);
// The service names a next page by so many bytes, which no server takes.
Error next_too_long(std::size_t bytes);

}  // namespace shelfd::sync
