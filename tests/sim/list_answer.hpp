// A list as DRF's paginators render it: page number, limit and offset, cursor, or everything at once.
#pragma once

#include "sim/catalogue.hpp"
#include "sim/list_data.hpp"
#include "sim/message.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace shelfd::sim {

// By what a bare array that is capped gives its other rows.
enum class Paging { nothing, page, page_from_0, offset, page_size };

// What lists of other frameworks do, each by its own: for tests of what a client takes.
struct ListHabits {
    std::size_t cap = 0;               // rows in one answer at most, said nowhere; 0 = as everywhere
    Paging paging = Paging::page;      // of a bare array with a cap
    bool skips_capped = false;         // the next page begins where one as long as asked for would
    bool ends_early = false;           // a page shorter than asked for, by the cap, names no next one
    bool pages_from_0 = false;         // the first page is page 0
    std::size_t deepest_page = 0;      // what lies behind it is refused; 0 = nothing is
    int deep_status = 400;             // so
    bool names_one_more = false;       // the last page names a next one, which is not there
    bool repeats_last = false;         // numbers behind the last page return it again, and it names a next one
    bool omits_next = false;           // on the last page, instead of null
    bool null_for_no_rows = false;     // "results": null
    bool bare_single_row = false;      // "results": {…}
    bool no_content = false;           // 204 for no rows
    bool partial_content = false;      // 206 for a page of several
    std::optional<std::string> count;  // instead of the number, as JSON; "text" = the number as text
};

// What a list does that it should not: for tests of a client's distrust.
struct ListQuirks {
    std::optional<Envelope> envelope = {};  // another one than the catalogue says
    bool ignores_filters = false;
    bool ignores_ordering = false;
    std::optional<Order> cursor_order = {};     // of a list by cursor that cannot be asked for another one
    std::int64_t count_offset = 0;              // added to the true count
    bool omits_count = false;                   // of paginators that count nothing
    std::optional<std::string> next_base = {};  // "https://elsewhere.example" in `next` instead of our own origin
    bool next_is_self = false;                  // `next` names the page it stands on
    std::set<std::int64_t> hides = {};          // rows left out, while their own addresses answer
    ListHabits habits = {};
};

struct ListAnswer {
    Reply reply;
    std::size_t page = 0;  // which page of a walk this was, from 1; 0 when it was refused
};

// Default size 10, largest 200; both silently, as the service has it.
ListAnswer list_answer(const ListData& list, Envelope envelope, const ListQuirks& quirks, const Request& request);

}  // namespace shelfd::sim
