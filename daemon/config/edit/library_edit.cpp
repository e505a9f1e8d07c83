#include "config/edit/library_edit.hpp"

#include "base/text.hpp"
#include "config/tree/fault.hpp"
#include "config/tree/node.hpp"
#include "config/tree/toml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

namespace shelfd::config {
namespace {

std::vector<std::string> lines_of(const std::string& text)
{
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = text.find('\n', at);
        const auto next = end == std::string::npos ? text.size() : end + 1;
        lines.push_back(text.substr(at, next - at));
        at = next;
    }
    return lines;
}

std::string text_of(const std::vector<std::string>& lines)
{
    return fmt::format("{}", fmt::join(lines, ""));
}

// The heading of a table, "[library.antwerp]", as its words; none for any other line. Blanks and quotes are allowed, as
// in TOML.
std::vector<std::string> heading_of(const std::string& line)
{
    const auto text = trimmed(line);
    const auto end = text.find(']');
    if (text.empty() || text.front() != '[' || text.starts_with("[[") || end == std::string_view::npos) {
        return {};
    }
    std::vector<std::string> words;
    auto rest = text.substr(1, end - 1);
    for (bool more = true; more;) {
        const auto dot = rest.find('.');
        more = dot != std::string_view::npos;
        auto word = trimmed(rest.substr(0, dot));
        rest = more ? rest.substr(dot + 1) : rest;
        const bool is_quoted = word.size() >= 2 && (word.front() == '"' || word.front() == '\'');
        words.emplace_back(is_quoted ? word.substr(1, word.size() - 2) : word);
    }
    return words;
}

bool is_heading(const std::string& line)
{
    return trimmed(line).starts_with('[');
}

bool is_of_library(const std::string& line, const std::string& library)
{
    const auto words = heading_of(line);
    return words.size() >= 2 && words[0] == "library" && words[1] == library;
}

bool is_comment(const std::string& line)
{
    return trimmed(line).starts_with('#');
}

bool is_blank(const std::string& line)
{
    return trimmed(line).empty();
}

std::optional<Node> tree_of(const std::string& text, const std::string& file)
{
    FaultList faults;
    return read_toml(text, file, faults);
}

Node* find_library(Node& root, const std::string& name)
{
    auto* libraries = root.find("library");
    return libraries == nullptr || !libraries->is_table() ? nullptr : libraries->find(name);
}

// Positions apart; tables and their members in any order.
bool is_same(const Node& a, const Node& b)
{
    const bool are_alike = a.kind == b.kind && a.key == b.key && a.text == b.text && a.integer == b.integer &&
                           a.boolean == b.boolean && a.children.size() == b.children.size();
    if (!are_alike) {
        return false;
    }
    for (std::size_t i = 0; i < a.children.size(); ++i) {
        const auto* other = a.is_table() ? b.find(a.children[i].key) : &b.children[i];
        if (other == nullptr || !is_same(a.children[i], *other)) {
            return false;
        }
    }
    return true;
}

// `want` makes, of the tree of the text before, the one that the text after must have.
Result<std::string> checked(const std::string& before, std::string after, const std::string& file,
                            const std::string& by_hand, const std::function<void(Node&)>& want)
{
    auto wanted = tree_of(before, file);
    auto made = tree_of(after, file);
    if (wanted) {
        want(*wanted);
    }
    if (!wanted || !made || !is_same(*wanted, *made)) {
        return Error(ErrorKind::config,
                     fmt::format("{} is not written in a form that can be changed here: {}", file, by_hand));
    }
    return after;
}

// The lines of the library's own keys: from behind its heading to the next one. Empty if there is no such heading.
struct Block {
    std::size_t begin = 0;
    std::size_t end = 0;
};
std::optional<Block> block_of(const std::vector<std::string>& lines, const std::string& library)
{
    const auto is_own = [&](const std::string& line) {
        return is_of_library(line, library) && heading_of(line).size() == 2;
    };
    const auto heading = std::find_if(lines.begin(), lines.end(), is_own);
    if (heading == lines.end()) {
        return std::nullopt;
    }
    const auto end = std::find_if(heading + 1, lines.end(), is_heading);
    return Block{static_cast<std::size_t>(heading - lines.begin()) + 1, static_cast<std::size_t>(end - lines.begin())};
}

std::optional<std::size_t> line_of_key(const std::vector<std::string>& lines, Block block, const std::string& key)
{
    for (auto i = block.begin; i < block.end; ++i) {
        const auto text = trimmed(lines[i]);
        if (text.starts_with(key) && trimmed(text.substr(key.size())).starts_with('=')) {
            return i;
        }
    }
    return std::nullopt;
}

// A comment behind the value, with the blanks before it.
std::string comment_behind(const std::string& line)
{
    char quote = '\0';
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quote != '\0') {
            i += c == '\\' && quote == '"' ? 1 : 0;
            quote = c == quote ? '\0' : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '#') {
            const auto end = line.find_last_not_of(" \t", i - 1);
            return std::string(line.substr(end + 1, line.find_last_not_of("\r\n") - end));
        }
    }
    return "";
}

Node value_node(const std::string& key, const std::string& toml)
{
    auto tree = tree_of(fmt::format("{} = {}\n", key, toml), "");
    return tree && tree->children.size() == 1 ? tree->children.front() : Node();
}

void put_child(Node& table, Node child)
{
    if (auto* known = table.find(child.key)) {
        *known = std::move(child);
    } else {
        table.children.push_back(std::move(child));
    }
}

void drop_child(Node& table, const std::string& key)
{
    std::erase_if(table.children, [&](const Node& child) { return child.key == key; });
}

}  // namespace

Result<std::string> set_library_key(const std::string& text, const std::string& file, const std::string& library,
                                    const std::string& key, const std::string& toml)
{
    auto lines = lines_of(text);
    if (const auto block = block_of(lines, library)) {
        const auto line = line_of_key(lines, *block, key);
        const auto written = fmt::format("{} = {}{}\n", key, toml, line ? comment_behind(lines[*line]) : "");
        if (line) {
            lines[*line] = written;
        } else {
            auto& heading = lines[block->begin - 1];
            heading += heading.ends_with('\n') ? "" : "\n";
            lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(block->begin), written);
        }
    }
    const auto by_hand = fmt::format("write {} = {} in [library.{}]", key, toml, library);
    return checked(text, text_of(lines), file, by_hand, [&](Node& root) {
        if (auto* table = find_library(root, library)) {
            put_child(*table, value_node(key, toml));
        }
    });
}

Result<std::string> remove_library_key(const std::string& text, const std::string& file, const std::string& library,
                                       const std::string& key, std::string_view comment)
{
    auto lines = lines_of(text);
    const auto block = block_of(lines, library);
    if (const auto line = block ? line_of_key(lines, *block, key) : std::nullopt) {
        const bool has_comment = !comment.empty() && *line > block->begin && trimmed(lines[*line - 1]) == comment;
        const auto at = lines.begin() + static_cast<std::ptrdiff_t>(*line);
        lines.erase(has_comment ? at - 1 : at, at + 1);
    }
    return checked(text, text_of(lines), file, fmt::format("remove {} from [library.{}]", key, library),
                   [&](Node& root) {
                       if (auto* table = find_library(root, library)) {
                           drop_child(*table, key);
                       }
                   });
}

Result<std::string> rename_library(const std::string& text, const std::string& file, const std::string& from,
                                   const std::string& to)
{
    auto lines = lines_of(text);
    for (auto& line : lines) {
        if (is_of_library(line, from)) {
            auto words = heading_of(line);
            words[1] = to;
            const auto begin = line.find('[');
            const auto end = line.find(']');
            line.replace(begin, end - begin + 1, fmt::format("[{}]", fmt::join(words, ".")));
        }
    }
    return checked(text, text_of(lines), file, fmt::format("change [library.{}] to [library.{}]", from, to),
                   [&](Node& root) {
                       if (auto* table = find_library(root, from)) {
                           table->key = to;
                       }
                   });
}

Result<std::string> remove_library(const std::string& text, const std::string& file, const std::string& library)
{
    std::vector<std::string> kept;
    bool is_inside = false;
    std::size_t open = 0;            // lines at the end of `kept` that may be the comment before a heading
    std::vector<std::string> loose;  // comments and blanks inside that belong to whatever comes next
    for (const auto& line : lines_of(text)) {
        if (is_heading(line)) {
            const bool was_inside = std::exchange(is_inside, is_of_library(line, library));
            if (is_inside && !was_inside) {
                kept.resize(kept.size() - open);
            } else if (!is_inside && was_inside) {
                kept.insert(kept.end(), loose.begin(), loose.end());
            }
            loose.clear();
            open = 0;
        }
        if (is_inside) {
            const bool continues_comment = is_comment(line) && !loose.empty();
            if (is_blank(line)) {
                loose.assign(1, line);
            } else if (continues_comment) {
                loose.push_back(line);
            } else {
                loose.clear();
            }
            continue;
        }
        open = is_comment(line) ? open + 1 : 0;
        kept.push_back(line);
    }
    return checked(text, text_of(kept), file,
                   fmt::format("write it as a table of its own, [library.{}] with a line for each key", library),
                   [&](Node& root) {
                       auto* libraries = root.find("library");
                       if (libraries == nullptr || !libraries->is_table()) {
                           return;
                       }
                       drop_child(*libraries, library);
                       if (libraries->children.empty()) {
                           drop_child(root, "library");
                       }
                   });
}

bool has_library(const std::string& text, const std::string& library)
{
    auto tree = tree_of(text, "");
    return tree && find_library(*tree, library) != nullptr;
}

bool says_nothing(const std::string& text)
{
    const auto tree = tree_of(text, "");
    return tree && tree->children.empty();
}

}  // namespace shelfd::config
