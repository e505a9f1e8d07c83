// Reads from the headers of a bare array where the rest of its list is; the array itself has no frame that says so.
#pragma once

#include "base/result.hpp"
#include "http/client.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace shelfd::sync {

// What the headers say about the rest of the list.
struct ArrayRest {
    std::optional<std::string> next_query;  // query of the next page in `Link` (RFC 8288), as sent, without '?'
    std::string next_path = {};             // path of the same address
    std::optional<std::uint64_t> total;     // rows of the list: X-Total-Count and similar, Content-Range, X-Pagination
};
// Errors: config, if the address of the next page has no query or is longer than http::max_target.
Result<ArrayRest> rest_of_array(const http::Response& response);

// The error for a next page that differs from this one only by its path; `seen` says where it was named.
Error next_by_path(std::string_view seen);
// The error for a next page whose address has `bytes` bytes, more than any server accepts.
Error next_too_long(std::size_t bytes);

}  // namespace shelfd::sync
