#include "mirror/columns/encode.hpp"

#include "base/words/digits.hpp"
#include "mirror/json/text.hpp"

#include <cmath>
#include <limits>
#include <optional>

namespace shelfd::mirror {

namespace {

Encoded as_text(std::string_view text, bool exact)
{
    return {Storage::text, 0, 0, text, exact};
}

Encoded as_number(const Member& member, bool exact)
{
    if (member.whole) {
        if (const auto value = number_in<std::int64_t>(member.value)) {
            return {Storage::integer, *value, 0, {}, exact && member.value != "-0"};
        }
        exact = false;
    }
    const double value = real_of(member.value);
    return {Storage::real, 0, value, {}, exact};
}

// Whether this is the shortest text of its value, if that is plain: no other text of up to 15 digits has the same
// value.
std::optional<bool> is_shortest(std::string_view number)
{
    constexpr std::size_t most = std::numeric_limits<double>::digits10;
    number.remove_prefix(number.starts_with('-') ? 1 : 0);
    const auto point = number.find('.');
    if (point == number.npos || number.size() > most + 1) {
        return std::nullopt;
    }
    const auto fraction = number.substr(point + 1);
    if (fraction.find_first_not_of("0123456789") != fraction.npos || fraction.starts_with("0000")) {
        return std::nullopt;  // perhaps it has an exponent, or would be written with one
    }
    return !fraction.ends_with('0') || fraction == "0";
}

// SQLite does not store the sign of -0.0, and 89.50 would be restored as 89.5.
bool tells_itself(std::string_view number, double value)
{
    if (!std::isfinite(value) || (value == 0 && std::signbit(value))) {
        return false;
    }
    const auto known = is_shortest(number);
    return known ? *known : real_text(value) == number;
}

Encoded as_real(const Member& member)
{
    const double value = real_of(member.value);
    return {Storage::real, 0, value, {}, !member.whole && tells_itself(member.value, value)};
}

Encoded as_string(const Member& member, TextArena& workshop)
{
    if (!member.escaped) {
        return as_text(member.inside(), true);
    }
    std::string& text = workshop.take();
    const bool whole = unescape(member.inside(), text) == Fidelity::exact;
    // Many tools end text at U+0000.
    return as_text(text, whole && text.find('\0') == std::string::npos);
}

Encoded as_instant(const Member& member, TextArena& workshop)
{
    InstantText normal;
    const auto fit = member.escaped ? InstantFit::none : normalise_instant(member.inside(), normal);
    if (fit == InstantFit::none) {
        auto encoded = as_string(member, workshop);
        encoded.exact = false;
        return encoded;
    }
    std::string& text = workshop.take();
    text.assign(normal.data(), normal.size());
    return as_text(text, fit == InstantFit::exact);
}

// A value that does not fit the column: stored as the nearest SQL value, not exact.
Encoded as_stranger(const Member& member, TextArena& workshop)
{
    Encoded encoded;
    switch (member.type) {
    case JsonType::null: return encoded;
    case JsonType::boolean: encoded = {Storage::integer, member.value == "true" ? 1 : 0, 0, {}, false}; break;
    case JsonType::number: encoded = as_number(member, false); break;
    case JsonType::string: encoded = as_string(member, workshop); break;
    case JsonType::array:
    case JsonType::object: encoded = as_text(member.value, false); break;
    }
    encoded.exact = false;
    return encoded;
}

// A text column stores every value as its text.
Encoded in_text(const Member& member, TextArena& workshop)
{
    return member.type == JsonType::string ? as_string(member, workshop) : as_text(member.value, false);
}

Encoded in_key(const Member& member, TextArena& workshop)
{
    if (member.type == JsonType::number && !number_in<std::int64_t>(member.value)) {
        return as_text(member.value, false);
    }
    return member.type == JsonType::number ? as_number(member, true) : in_text(member, workshop);
}

}  // namespace

std::string& TextArena::take()
{
    if (used_ == texts_.size()) {
        texts_.emplace_back();
    }
    return texts_[used_++];
}

Encoded encode(Kind kind, const Member& member, TextArena& workshop)
{
    if (member.type == JsonType::null) {
        return {};
    }
    const bool number = member.type == JsonType::number;
    const bool string = member.type == JsonType::string;
    switch (kind) {
    case Kind::integer:
        if (number && member.whole) {
            return as_number(member, true);
        }
        break;
    case Kind::real:
        if (number) {
            return as_real(member);
        }
        break;
    case Kind::boolean:
        if (member.type == JsonType::boolean) {
            return {Storage::integer, member.value == "true" ? 1 : 0, 0, {}, true};
        }
        break;
    case Kind::datetime:
        if (string) {
            return as_instant(member, workshop);
        }
        break;
    case Kind::date:
        if (string && !member.escaped && is_date(member.inside())) {
            return as_text(member.inside(), true);
        }
        break;
    case Kind::text: return in_text(member, workshop);
    // Every value is valid JSON text.
    case Kind::json: return as_text(member.value, true);
    case Kind::any: return in_key(member, workshop);
    case Kind::undecided: break;
    }
    return as_stranger(member, workshop);
}

std::string decode(Kind kind, const storage::Statement& row, int column)
{
    switch (row.storage_class(column)) {
    case storage::StorageClass::null: return "null";
    case storage::StorageClass::real: return real_text(row.real(column));
    case storage::StorageClass::integer:
        if (kind == Kind::boolean) {
            return row.integer(column) != 0 ? "true" : "false";
        }
        return std::to_string(row.integer(column));
    case storage::StorageClass::text:
    case storage::StorageClass::blob: break;
    }
    return kind == Kind::json ? std::string(row.text(column)) : quoted_json(row.text(column));
}

}  // namespace shelfd::mirror
