// JSON as the simulator needs it: members keep their order and numbers their text, so that bytes are deterministic.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shelfd::sim {

// One JSON value. `text` is the decoded text of a string, or a number exactly as it goes over the wire.
struct Json {
    enum class Type { null, boolean, number, string, array, object };

    Json() = default;
    Json(bool value) : type(Type::boolean), flag(value) {}
    Json(std::int64_t value) : type(Type::number), text(std::to_string(value)) {}
    Json(int value) : Json(static_cast<std::int64_t>(value)) {}
    Json(std::uint64_t value) : type(Type::number), text(std::to_string(value)) {}
    Json(std::string value) : type(Type::string), text(std::move(value)) {}
    Json(const char* value) : Json(std::string(value)) {}

    // "1e-07", "-0.0", "18446744073709551617": what a machine number could not hold.
    static Json number(std::string text);
    static Json array(std::vector<Json> items = {});
    static Json object(std::vector<std::pair<std::string, Json>> members = {});

    // nothing when this is no object, or has no such member.
    const Json* find(std::string_view key) const;
    // Replaces the member where it stands, or adds it at the end.
    void set(std::string_view key, Json value);
    // For a key that is known to be new: does not look for it.
    void add(std::string_view key, Json value) { members.emplace_back(key, std::move(value)); }
    bool is(Type which) const { return type == which; }

    Type type = Type::null;
    bool flag = false;
    std::string text;
    std::vector<Json> items;
    std::vector<std::pair<std::string, Json>> members;
};

// `compact` is what DRF renders, `spaced` ("a": 1, "b": 2) what Python's json.dumps does by itself.
enum class Spacing { compact, spaced };

std::string to_text(const Json& value, Spacing spacing = Spacing::compact);
void append_text(std::string& out, const Json& value, Spacing spacing = Spacing::compact);
// With quotes. U+2028 and U+2029 are escaped as DRF does; everything else beyond ASCII stays raw.
void append_quoted(std::string& out, std::string_view text);

// The whole text must be one JSON value. At most 64 levels deep.
Result<Json> parse_json(std::string_view text);

}  // namespace shelfd::sim
