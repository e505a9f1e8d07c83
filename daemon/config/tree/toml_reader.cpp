#include "config/tree/toml_reader.hpp"

#include "config/tree/nesting.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

namespace shelfd::config {
namespace {

constexpr std::ptrdiff_t most_parts = 100'000;

std::ptrdiff_t count_parts(std::string_view text)
{
    return std::count_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == ',' || c == '['; });
}

Position position_of(const toml::source_region& region, const std::string& file)
{
    return {file, std::max(region.begin.line, 1u), std::max(region.begin.column, 1u)};
}

void convert(const toml::node& from, const std::string& file, Node& to);

void convert_table(const toml::table& table, const std::string& file, Node& to)
{
    to.kind = Node::Kind::table;
    for (const auto& [key, value] : table) {
        Node& child = to.children.emplace_back();
        child.key = std::string(key.str());
        convert(value, file, child);
        child.key_position = position_of(key.source(), file);
    }
    // The library sorts by name; restore the order of the file.
    std::sort(to.children.begin(), to.children.end(), [](const Node& a, const Node& b) {
        return std::tie(a.key_position.line, a.key_position.column) <
               std::tie(b.key_position.line, b.key_position.column);
    });
}

void convert_array(const toml::array& array, const std::string& file, Node& to)
{
    to.kind = Node::Kind::array;
    for (const auto& element : array) {
        Node& child = to.children.emplace_back();
        convert(element, file, child);
        child.key_position = child.position;
    }
}

void convert(const toml::node& from, const std::string& file, Node& to)
{
    to.position = position_of(from.source(), file);
    if (const auto* table = from.as_table()) {
        convert_table(*table, file, to);
    } else if (const auto* array = from.as_array()) {
        convert_array(*array, file, to);
    } else if (const auto* text = from.as_string()) {
        to.kind = Node::Kind::string;
        to.text = text->get();
    } else if (const auto* integer = from.as_integer()) {
        to.kind = Node::Kind::integer;
        to.integer = integer->get();
    } else if (const auto* boolean = from.as_boolean()) {
        to.kind = Node::Kind::boolean;
        to.boolean = boolean->get();
    } else if (from.is_floating_point()) {
        to.kind = Node::Kind::real;
    } else {
        to.kind = Node::Kind::time;
    }
}

// Shows one character only: the library quotes the faulty text, which may be the beginning of a secret or a line break.
std::string describe(const toml::parse_error& error)
{
    std::string text(error.description());
    const auto saw = text.find(", saw '");
    if (saw != std::string::npos && text.size() > saw + std::string_view(", saw 'x'").size()) {
        text.resize(saw);
    }
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    return text;
}

}  // namespace

std::optional<Node> read_toml(std::string_view text, const std::string& file, FaultList& faults)
{
    // The library, and all code that walks its tree or ours, recurses once for each level.
    if (const auto deep = find_deep_nesting(text)) {
        faults.add({file, deep->line, deep->column},
                   fmt::format("is nested deeper than {} levels; a configuration needs 6", deepest_nesting));
        return std::nullopt;
    }
    // A reload reads in the loop of the daemon: a file of millions of elements would stop it.
    if (count_parts(text) > most_parts) {
        faults.add({file, 1, 1}, fmt::format("has more than {} lines and elements, as no configuration needs: divide "
                                             "it into several files of conf.d",
                                             most_parts));
        return std::nullopt;
    }
    try {
        const auto table = toml::parse(text, file);
        Node root;
        convert(table, file, root);
        root.position = {file, 1, 1};
        return root;
    } catch (const toml::parse_error& error) {
        faults.add(position_of(error.source(), file), describe(error));
        return std::nullopt;
    }
}

}  // namespace shelfd::config
