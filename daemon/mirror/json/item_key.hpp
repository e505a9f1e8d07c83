// The key of an item: whole numbers and texts, one or several.
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
    std::string text;  // of a number beyond 64 bits: its digits

    friend auto operator<=>(const KeyPart&, const KeyPart&) = default;
};

// Compares integers by value and before texts. Integer 7 and text "7" are two keys.
struct ItemKey {
    KeyPart first;
    std::vector<KeyPart> rest;

    // The one form that fits INTEGER PRIMARY KEY.
    bool is_integer() const { return rest.empty() && !first.is_text; }
    std::size_t size() const { return 1 + rest.size(); }
    const KeyPart& operator[](std::size_t part) const { return part == 0 ? first : rest[part - 1]; }

    // 42, "abc", [1,"a"]
    std::string to_json() const;
    // Binds every part from `parameter` on; the key must outlive the run of the statement.
    void bind(storage::Statement& statement, int parameter) const;
    // Sets every part, from `column` on, in the row that was begun last.
    void put(storage::RowBatch& rows, std::size_t column) const;

    friend auto operator<=>(const ItemKey&, const ItemKey&) = default;
};

// nothing for what cannot be a key: null, floats, booleans, objects, arrays, text that has no UTF-8.
std::optional<KeyPart> key_part(const Member& member);

// Reads the JSON text that to_json writes; nothing for anything else.
std::optional<ItemKey> read_key(std::string_view json);

// The key whose parts are columns `column`, column + 1, … of this row.
ItemKey key_of(const storage::Statement& row, int column, std::size_t parts);

}  // namespace shelfd::mirror
