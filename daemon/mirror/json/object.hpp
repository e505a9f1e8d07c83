// Splits a JSON object into its members. Rejects invalid JSON down to the last nested value.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::mirror {

enum class JsonType : std::uint8_t { null, boolean, number, string, array, object };

struct Member {
    std::string_view key;    // without quotes, escapes unchanged
    std::string_view value;  // as sent; strings with their quotes
    JsonType type = JsonType::null;
    bool key_escaped = false;  // the key contains a backslash
    bool escaped = false;      // the value is a string that contains a backslash
    bool whole = false;        // the value is a number without point or exponent

    // The content of a string, without its quotes.
    std::string_view inside() const { return value.substr(1, value.size() - 2); }
};

// How deep values may nest inside a member. All readers of JSON accept at least this depth.
inline constexpr int max_nesting = 100;

// Appends the members of `object` as views into it, in the order sent. Accepts exactly the grammar of RFC 8259; the
// caller has checked that the text is UTF-8. Returns nullptr, or why it is not a JSON object.
const char* parse_members(std::string_view object, std::vector<Member>& members);

// Sets `found[i]` to the first member with the key `wanted[i]`; its value is empty if there is none. Stops at the last
// wanted member, so that a key at the front does not cost a scan of the rest, which is then not checked.
const char* find_members(std::string_view object, std::span<const std::string> wanted, std::vector<Member>& found);

// The same as parse_members for an array; the elements are members without a key.
const char* parse_elements(std::string_view array, std::vector<Member>& elements);

// Checks a whole value of any type as strictly.
const char* check_value(std::string_view value);

}  // namespace shelfd::mirror
