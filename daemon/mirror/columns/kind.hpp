// What a column stores, decided once from its first values.
#pragma once

#include "mirror/json/object.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace shelfd::mirror {

enum class Kind : std::uint8_t {
    undecided,  // only nulls so far; declared without a type
    integer,    // -2^63 … 2^63-1
    real,       // numbers with a fraction or exponent, possibly also whole numbers
    text,       // strings, integers beyond 64 bits, and all other mixtures
    boolean,    // 0 and 1
    datetime,   // instants, normalised
    date,
    json,  // objects and arrays, as JSON text
    any,   // key columns with texts and integers: declared without a type, so that 7 and "7" remain different keys
};

// The word in `_columns`.
std::string_view to_string(Kind kind);
std::optional<Kind> kind_of(std::string_view word);
// The type in CREATE TABLE. JSON text is declared TEXT, because SQLite gives a column declared JSON numeric affinity.
std::string_view declared_type(Kind kind);

// The class of a single value. A set of classes is the sum of their bits.
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

// Returns the kind for values of these classes; undecided if there are none.
Kind kind_for(ValueClasses classes);
// True if a column of this kind is made for values of this class; other values are drift.
bool expects(Kind kind, ValueClass value);

}  // namespace shelfd::mirror
