// A configuration file as a tree with the position of each value; independent of the TOML library.
#pragma once

#include "config/model/model.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::config {

// A value. Plain data; `children` of a table are in the order of the file.
struct Node {
    enum class Kind { table, array, string, integer, boolean, real, time };

    Kind kind = Kind::table;
    Position position;      // of the value; for a table, of its header
    std::string key;        // "" in arrays and at the root
    Position key_position;  // of the key; for an array's element, of the value
    std::string text;       // string
    std::int64_t integer = 0;
    bool boolean = false;
    std::vector<Node> children;  // table, array
    bool faulty = false;         // already reported: present, but not to be read
    bool unknown = false;        // reported as unknown in its table: perhaps the misspelling of a key that is missing

    bool is_table() const { return kind == Kind::table; }
    const Node* find(std::string_view name) const;
    Node* find(std::string_view name);
};

// The tables [collection.NAME]; empty if the collection is absent.
std::vector<const Node*> tables_in(const Node* collection);

// "a string", "an integer", …: for "must be …, not …".
std::string_view describe(Node::Kind kind);

}  // namespace shelfd::config
