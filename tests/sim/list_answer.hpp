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

// What a list does that it should not: for tests of a client's distrust.
struct ListQuirks {
    std::optional<Envelope> envelope = {};  // another one than the catalogue says
    bool ignores_filters = false;
    bool ignores_ordering = false;
    std::optional<Order> cursor_order = {};  // of a list by cursor that cannot be asked for another one
    std::int64_t count_offset = 0;              // added to the true count
    bool omits_count = false;                   // of paginators that count nothing
    std::optional<std::string> next_base = {};  // "https://elsewhere.example" in `next` instead of our own origin
    bool next_is_self = false;                  // `next` names the page it stands on
    std::set<std::int64_t> hides = {};          // rows left out, while their own addresses answer
};

struct ListAnswer {
    Reply reply;
    std::size_t page = 0;  // which page of a walk this was, from 1; 0 when it was refused
};

// Default size 10, largest 200; both silently, as the service has it.
ListAnswer list_answer(const ListData& list, Envelope envelope, const ListQuirks& quirks, const Request& request);

}  // namespace shelfd::sim
