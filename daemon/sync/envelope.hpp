// The frame around a page of a list: how many rows the service counts, where the next page is, and the rows.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd::sync {

// {"count": 450, "next": "https://…?page=2&page_size=200", "previous": null, "results": […]}
struct Page {
    std::uint64_t count = 0;
    // The query of `next`, as sent, without '?'. Scheme, host and path of `next` are never used: behind a proxy they
    // name other hosts, and the token must not go there. nothing on the last page.
    std::optional<std::string> next_query;
    // The array, as the service sent it; points into the buffer given to read_page.
    std::string_view results;
};

// Reads the body of a 200. `body` must be followed by readable bytes as simdjson wants them: reserve
// `page_padding` more than its size.
// Errors: protocol, when this is no JSON (`broken`) or JSON of another shape; the text says which.
Result<Page> read_page(const std::string& body);

inline constexpr std::size_t page_padding = 64;

}  // namespace shelfd::sync
