// The opaque place in a cursor list: between two rows, read forwards or backwards.
#pragma once

#include "sim/list_data.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace shelfd::sim {

// By default the start of the list. A place survives the deletion of the row it was made of.
class Cursor {
public:
    Cursor() = default;
    static Cursor after(const Row& row) { return Cursor(row, false); }
    static Cursor before(const Row& row) { return Cursor(row, true); }

    // base64 of a query string, as DRF does it.
    std::string encode() const;
    static std::optional<Cursor> decode(const std::string& text);

    // [begin, end) of at most `size` rows from here; `rows` are in the default order, newest first.
    std::pair<std::size_t, std::size_t> slice(const ListData::View& rows, std::size_t size) const;

private:
    Cursor(const Row& row, bool reverse) : position_(std::pair(row.created.micros(), row.id)), reverse_(reverse) {}

    std::optional<std::pair<std::int64_t, std::int64_t>> position_;  // created_date and id
    bool reverse_ = false;
};

}  // namespace shelfd::sim
