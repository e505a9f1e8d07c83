// What a column holds, decided once from the values it first shows.
#pragma once

#include "mirror/json/object.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace shelfd::mirror {

enum class Kind : std::uint8_t {
    undecided,  // only nulls so far; the column is declared without a type
    integer,    // -2^63 … 2^63-1
    real,       // floats, or floats and integers
    text,       // strings, integers beyond 64 bits, and every mixture that has no kind of its own
    boolean,    // 0 and 1
    datetime,   // instants, normalised
    date,
    json,  // objects and arrays, as JSON text
    any,   // key columns that met texts and integers: declared without a type, so that 7 and "7" stay two keys
};

// The word in `_columns`.
std::string_view to_string(Kind kind);
std::optional<Kind> kind_of(std::string_view word);
// What stands in CREATE TABLE. JSON text is declared TEXT: SQLite takes a declared JSON for a number.
std::string_view declared_type(Kind kind);

// What one value is by itself. A set of them is the sum of their bits.
enum ValueClass : std::uint8_t {
    is_null = 0,
    is_boolean = 1,
    is_integer = 2,  // -2^63 … 2^63-1
    is_real = 4,
    is_text = 8,
    is_datetime = 16,
    is_date_only = 32,
    is_json = 64,
    is_big_integer = 128,  // beyond 64 bits
};
using ValueClasses = std::uint8_t;

ValueClass class_of(const Member& member);
std::string_view to_string(ValueClass value);

// The kind that all of `classes` share; undecided for none.
Kind kind_for(ValueClasses classes);
// Whether a value of this class is what the column was made for; if not, it is drift.
bool expects(Kind kind, ValueClass value);

}  // namespace shelfd::mirror
