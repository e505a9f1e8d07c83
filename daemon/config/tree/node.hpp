// A configuration file as a tree that remembers where everything stands; free of the TOML library.
#pragma once

#include "config/model/model.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::config {

// A value. Plain data; `children` of a table are in the order in which they were written.
struct Node {
    enum class Kind { table, array, string, integer, boolean, real, time };

    Kind kind = Kind::table;
    Position position;      // of the value; of a table, its header
    std::string key;        // "" in arrays and at the root
    Position key_position;  // of the key; of an array's element, the value's
    std::string text;       // string
    std::int64_t integer = 0;
    bool boolean = false;
    std::vector<Node> children;  // table, array
    bool faulty = false;         // already reported: present, but not to be read
    bool unknown = false;        // reported as no key of its table: perhaps one that is missed elsewhere, misspelt

    bool is_table() const { return kind == Kind::table; }
    const Node* find(std::string_view name) const;
    Node* find(std::string_view name);
};

// The tables in a table of tables: [collection.NAME]. None when it is absent.
std::vector<const Node*> tables_in(const Node* collection);

// "a string", "an integer", …: for "must be …, not …".
std::string_view describe(Node::Kind kind);

}  // namespace shelfd::config
