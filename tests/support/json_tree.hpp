// JSON read by other code than the mirror's, so that what went in can be compared with what comes out: numbers by
// their text, strings by their characters, objects without regard to order.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace shelfd {

struct JsonTree {
    enum class Type { null, boolean, number, string, array, object };
    Type type = Type::null;
    std::string number;   // also "true" and "false"
    std::u16string text;  // lone surrogates stay what they are
    std::vector<JsonTree> elements;
    std::map<std::u16string, std::vector<JsonTree>> members;  // a key that is there twice has two
};

// Aborts the test for what is no JSON.
JsonTree read_json(std::string_view text);

// Two strings that are instants are equal when they mean the same moment and neither says more than microseconds.
bool equal_items(const JsonTree& a, const JsonTree& b);
bool equal_items(std::string_view a, std::string_view b);

}  // namespace shelfd
