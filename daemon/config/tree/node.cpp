#include "config/tree/node.hpp"

#include <algorithm>
#include <cstdlib>

namespace shelfd::config {

const Node* Node::find(std::string_view name) const
{
    if (!is_table()) {
        return nullptr;
    }
    const auto found = std::find_if(children.begin(), children.end(), [&](const Node& n) { return n.key == name; });
    return found == children.end() ? nullptr : &*found;
}

Node* Node::find(std::string_view name)
{
    if (!is_table()) {
        return nullptr;
    }
    const auto found = std::find_if(children.begin(), children.end(), [&](const Node& n) { return n.key == name; });
    return found == children.end() ? nullptr : &*found;
}

std::vector<const Node*> tables_in(const Node* collection)
{
    std::vector<const Node*> tables;
    if (collection != nullptr && collection->is_table()) {
        for (const auto& child : collection->children) {
            if (child.is_table()) {
                tables.push_back(&child);
            }
        }
    }
    return tables;
}

std::string_view describe(Node::Kind kind)
{
    switch (kind) {
    case Node::Kind::table: return "a table";
    case Node::Kind::array: return "a list";
    case Node::Kind::string: return "a string";
    case Node::Kind::integer: return "an integer";
    case Node::Kind::boolean: return "a boolean";
    case Node::Kind::real: return "a float";
    case Node::Kind::time: return "a date or time";
    }
    std::abort();
}

}  // namespace shelfd::config
