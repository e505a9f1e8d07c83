// The frame around a page of a list: how many rows the service counts, where the next page is, and the rows.
#pragma once

#include "base/result.hpp"
#include "config/model.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shelfd::sync {

enum class Envelope {
    counted,  // {"count": 450, "next": "https://…?page=2&page_size=200", "results": […]}
    offset,  // {"count": 450, "next": "https://…?limit=200&offset=200", "results": […]}; its last page looks counted
    cursor,  // {"next": "https://…?cursor=cD0y", "results": […]}, without a count: `next` keeps its place in the list
    uncounted,  // {"next": "https://…?page=2", "results": […]}, or an offset: rows that go shift those behind them past
                // the walk, and no count tells; its last page looks like a cursor's
    array,   // […]: all of it in one answer, or a page whose headers or length tell of more
    object,  // {…}, a single row (`answers = "object"`)
};

struct Page {
    Envelope envelope = Envelope::counted;
    std::optional<std::uint64_t> count;  // of the whole list, where the service sends one
    // The query of `next`, as sent, without '?'. Scheme, host and path of `next` are never used: behind a proxy they
    // name other hosts, and the token must not go there. nothing on the last page.
    std::optional<std::string> next_query;
    // The array, as the service sent it; points into the buffer given to read_page.
    std::string_view results;
    // It names no next page, and does not say either that there is none: an array, or a frame without `next`.
    bool is_silent = false;
    std::string next_path = {};  // of `next`: to see that it leads on by its path, which nobody follows
    bool tells_kind = true;  // false: an answer without a body (204) stands for a page without rows
};

// Reads the body of a 200. `body` gets the room behind its end that simdjson reads, and a single object is put into
// brackets, so that rows are an array always. Taken as well, for some services have them: a count as text, one below
// zero (it counts nothing), `results` that are null (no rows) or one object (one row), and a frame without `next`.
// Errors: protocol, when this is no JSON, or JSON of another shape; config, when it is JSON that `answers`
// does not fit; the text says which. `page_param`: the service's name for the number of a page.
Result<Page> read_page(std::string& body, config::Answers answers = config::Answers::list,
                       std::string_view page_param = "page");

// What is known after an answer of kind `seen` where `known` was known before; nothing = they do not go together.
std::optional<Envelope> agree(std::optional<Envelope> known, Envelope seen);
// The same for a page behind the first one of a walk: some services count on that one only.
std::optional<Envelope> agree_behind_first(Envelope known, Envelope seen);

const char* to_string(Envelope envelope);
std::optional<Envelope> envelope_from(std::string_view name);

}  // namespace shelfd::sync
