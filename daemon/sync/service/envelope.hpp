// The frame around a page of a list: how many rows the service counts, where the next page is, and the rows.
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
    std::optional<std::uint64_t> count;  // of the whole list, where the service sends one
    // The query of `next`, as sent, without '?'. Scheme, host and path of `next` are never used: behind a proxy they
    // name other hosts, and the token must not go there. nothing on the last page.
    std::optional<Query> next_query;
    // The array, as the service sent it; points into the buffer given to read_page.
    std::string_view results;
    // It names no next page, and does not say either that there is none: an array, or a frame without `next`.
    bool is_silent = false;
    std::string next_path = {};  // of `next`: to see that it leads on by its path, which nobody follows
    bool tells_kind = true;      // false: an answer without a body (204) stands for a page without rows
    // The items of `results`, found by the walk over the frame; empty where that did not look for them: they come in
    // pieces, or one is no object. Each reaches up to the comma or bracket behind it.
    std::vector<std::string_view> items = {};
};

// Reads the body of a 200. `body` gets the room behind its end that simdjson reads, and a single object is put into
// brackets, so that rows are an array always. Taken as well, for some services have them: a count as text, one below
// zero (it counts nothing), `results` that are null (no rows) or one object (one row), and a frame without `next`.
// Errors: protocol, when this is no JSON, or JSON of another shape; config, when it is JSON that `answers`
// does not fit, or more than a row may have beside the rows; the text says which. Of an answer beyond
// mirror::max_whole the rows themselves are not looked at. `page_param`: the service's name for the number of a page.
Result<Page> read_page(std::string& body, config::Answers answers = config::Answers::list,
                       std::string_view page_param = "page");

}  // namespace shelfd::sync
