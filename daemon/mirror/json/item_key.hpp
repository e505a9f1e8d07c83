// The key of an item: one or several whole numbers and texts.
#pragma once

#include "mirror/json/object.hpp"
#include "storage/row_batch.hpp"
#include "storage/sqlite.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::mirror {

struct KeyPart {
    bool is_text = false;
    std::int64_t integer = 0;
    std::string text;  // also the digits of a number beyond 64 bits

    friend auto operator<=>(const KeyPart&, const KeyPart&) = default;
};

// Integers compare by value, and before texts. Integer 7 and text "7" are different keys.
struct ItemKey {
    KeyPart first;
    std::vector<KeyPart> rest;

    // True for the only form that fits INTEGER PRIMARY KEY.
    bool is_integer() const { return rest.empty() && !first.is_text; }
    std::size_t size() const { return 1 + rest.size(); }
    const KeyPart& operator[](std::size_t part) const { return part == 0 ? first : rest[part - 1]; }

    // 42, "abc", [1,"a"]
    std::string to_json() const;
    // Binds all parts from `parameter` on. The key must outlive the run of the statement.
    void bind(storage::Statement& statement, int parameter) const;
    // Sets all parts, from `column` on, in the last row of the batch.
    void put(storage::RowBatch& rows, std::size_t column) const;

    friend auto operator<=>(const ItemKey&, const ItemKey&) = default;
};

// Returns an empty optional for values that cannot be a key: null, real numbers, booleans, objects, arrays, and text
// that is not valid Unicode.
std::optional<KeyPart> key_part(const Member& member);

// Parses the output of to_json; returns an empty optional for anything else.
std::optional<ItemKey> read_key(std::string_view json);

// Returns the key in the columns `column`, `column` + 1, … of this row.
ItemKey key_of(const storage::Statement& row, int column, std::size_t parts);

}  // namespace shelfd::mirror
