// The frame around a page of a list: the service's count of rows, the address of the next page, and the rows.
#pragma once

#include "base/result.hpp"
#include "config/model/model.hpp"
#include "sync/service/envelope_kind.hpp"
#include "sync/service/query.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::sync {

struct Page {
    Envelope envelope = Envelope::counted;
    std::optional<std::uint64_t> count;  // rows of the whole list, if the service sends it
    // The query of `next`, as sent, without '?'; empty on the last page. Scheme, host and path of `next` are never
    // used: behind a proxy they name other hosts, which must not receive the token.
    std::optional<Query> next_query;
    // The array as sent; points into the buffer given to read_page.
    std::string_view results;
    // The page names no next page and does not say that there is none: an array, or a frame without `next`.
    bool is_silent = false;
    std::string next_path = {};  // path of `next`: shows whether pages differ by their path, which is not followed
    bool tells_kind = true;      // false: an answer without a body (204), which stands for a page without rows
    // The items of `results`, each up to the next comma or bracket. Empty if they were not searched for (a large
    // answer) or one is not an object.
    std::vector<std::string_view> items = {};
};

// Reads the body of a 200. Appends to `body` the padding that simdjson needs; puts a single object into brackets, so
// that the rows are always an array. Also accepts a count as text or below zero (no count), `results` that is null (no
// rows) or an object (one row), and a frame without `next`. In an answer larger than mirror::max_whole the rows
// themselves are not read. `page_param` is the service's name for the page number.
// Errors: protocol, if the body is not JSON or JSON of another shape; config, if it does not match `answers` or has
// more than the size of one row besides its rows. The text says which.
Result<Page> read_page(std::string& body, config::Answers answers = config::Answers::list,
                       std::string_view page_param = "page");

}  // namespace shelfd::sync
