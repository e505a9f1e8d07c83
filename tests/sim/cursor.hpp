// The opaque place in a cursor list, as Django REST framework's CursorPagination makes it: a value of the field that
// the list is ordered by, and how many rows behind it are passed over, because several have that value.
#pragma once

#include "sim/list_data.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace shelfd::sim {

struct Cursor {
    std::size_t offset = 0;
    bool reverse = false;
    std::optional<std::string> position = {};  // as Python writes the value; nothing: from the end of the list

    // base64 of a query string.
    std::string encode() const;
    // nothing where DRF answers "Invalid cursor".
    static std::optional<Cursor> decode(const std::string& text);
};

// One page of a list in `order`, and the cursors to its neighbours.
struct CursorPage {
    std::size_t begin = 0;  // its rows are [begin, end) of the list
    std::size_t end = 0;
    std::optional<Cursor> next = {};
    std::optional<Cursor> previous = {};
};

// `rows` are in `order`; without a cursor the first page. nothing where DRF fails: a position that is no such value.
std::optional<CursorPage> cursor_page(const ListData::View& rows, Order order, const std::optional<Cursor>& cursor,
                                      std::size_t size);

}  // namespace shelfd::sim
