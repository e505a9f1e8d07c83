// Takes one JSON object apart into its members, and refuses everything that is not JSON down to the last nested value.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::mirror {

enum class JsonType : std::uint8_t { null, boolean, number, string, array, object };

struct Member {
    std::string_view key;    // between the quotes, escapes and all
    std::string_view value;  // as sent; of a string, quotes included
    JsonType type = JsonType::null;
    bool key_escaped = false;  // the key holds a backslash
    bool escaped = false;      // the value is a string that holds a backslash
    bool whole = false;        // the value is a number without point and exponent

    // Of a string: what stands between its quotes.
    std::string_view inside() const { return value.substr(1, value.size() - 2); }
};

// Values may nest this deep inside a member; every reader of JSON goes at least that far.
inline constexpr int max_nesting = 100;

// Appends the members of `object`, in the order sent, as views into it. Takes RFC 8259's grammar and nothing else; the
// caller has checked that the text is UTF-8. Returns why it is no JSON object, or nothing when it is one.
const char* parse_members(std::string_view object, std::vector<Member>& members);

// Stops at the last of the wanted members, so that a key in front costs nothing of the rest: `found[i]` becomes the
// first member whose key is `wanted[i]`. Members that are not there leave theirs without a value.
const char* find_members(std::string_view object, std::span<const std::string> wanted, std::vector<Member>& found);

// The same for an array; its elements are members without a key.
const char* parse_elements(std::string_view array, std::vector<Member>& elements);

// The same strictness for a whole value of any type.
const char* check_value(std::string_view value);

}  // namespace shelfd::mirror
