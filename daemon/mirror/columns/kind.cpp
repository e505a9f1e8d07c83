#include "mirror/columns/kind.hpp"

#include "mirror/json/instants.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

namespace shelfd::mirror {

namespace {

constexpr std::array<std::pair<Kind, std::string_view>, 9> words = {{
    {Kind::undecided, "undecided"},
    {Kind::integer, "integer"},
    {Kind::real, "real"},
    {Kind::text, "text"},
    {Kind::boolean, "boolean"},
    {Kind::datetime, "datetime"},
    {Kind::date, "date"},
    {Kind::json, "json"},
    {Kind::any, "any"},
}};

bool fits_64_bits(std::string_view digits)
{
    std::int64_t ignored = 0;
    return std::from_chars(digits.data(), digits.data() + digits.size(), ignored).ec == std::errc();
}

}  // namespace

std::string_view to_string(Kind kind)
{
    for (const auto& [known, word] : words) {
        if (known == kind) {
            return word;
        }
    }
    return "";
}

std::optional<Kind> kind_of(std::string_view word)
{
    for (const auto& [kind, known] : words) {
        if (known == word) {
            return kind;
        }
    }
    return std::nullopt;
}

std::string_view declared_type(Kind kind)
{
    switch (kind) {
    case Kind::integer: return "INTEGER";
    case Kind::real: return "REAL";
    case Kind::text:
    case Kind::json: return "TEXT";
    case Kind::boolean: return "BOOLEAN";
    case Kind::datetime: return "DATETIME";
    case Kind::date: return "DATE";
    case Kind::undecided:
    case Kind::any: break;
    }
    return "";
}

ValueClass class_of(const Member& member)
{
    switch (member.type) {
    case JsonType::null: return is_null;
    case JsonType::boolean: return is_boolean;
    case JsonType::number: return !member.whole ? is_real : fits_64_bits(member.value) ? is_integer : is_big_integer;
    case JsonType::array:
    case JsonType::object: return is_json;
    case JsonType::string: break;
    }
    const auto text = member.inside();
    if (member.escaped || text.size() < 10) {
        return is_text;
    }
    InstantText ignored;
    if (is_date(text)) {
        return is_date_only;
    }
    return normalise_instant(text, ignored) == InstantFit::none ? is_text : is_datetime;
}

std::string_view to_string(ValueClass value)
{
    switch (value) {
    case is_null: return "null";
    case is_boolean: return "boolean";
    case is_integer: return "integer";
    case is_real: return "real";
    case is_text: return "text";
    case is_datetime: return "datetime";
    case is_date_only: return "date";
    case is_json: return "json";
    case is_big_integer: return "integer beyond 64 bits";
    }
    return "";
}

Kind kind_for(ValueClasses classes)
{
    if ((classes & is_real) != 0) {
        classes &= static_cast<ValueClasses>(~is_big_integer);
    }
    switch (classes) {
    case is_null: return Kind::undecided;
    case is_boolean: return Kind::boolean;
    case is_integer: return Kind::integer;
    case is_real:
    case is_real | is_integer: return Kind::real;
    case is_datetime: return Kind::datetime;
    case is_date_only: return Kind::date;
    case is_json: return Kind::json;
    default: return Kind::text;
    }
}

bool expects(Kind kind, ValueClass value)
{
    switch (kind) {
    case Kind::undecided:
    case Kind::any: return true;
    case Kind::integer: return value == is_integer;
    case Kind::real: return value == is_real || value == is_integer || value == is_big_integer;
    case Kind::text:
        return value == is_text || value == is_datetime || value == is_date_only || value == is_big_integer;
    case Kind::boolean: return value == is_boolean;
    case Kind::datetime: return value == is_datetime;
    case Kind::date: return value == is_date_only;
    case Kind::json: return value == is_json;
    }
    return true;
}

}  // namespace shelfd::mirror
