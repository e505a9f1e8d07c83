#include "config/edit/hook_edit.hpp"

#include "config/tree/fault.hpp"
#include "config/tree/node.hpp"
#include "config/tree/toml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace shelfd::config {
namespace {

struct NameInHook {
    const Node* hook;
    const Node* name;
    bool is_only = false;
};

// The names of libraries in all hooks, in the order of the text.
std::vector<NameInHook> library_names(const Node& root)
{
    std::vector<NameInHook> names;
    for (const auto* hook : tables_in(root.find("hooks"))) {
        if (const auto* libraries = hook->find("libraries")) {
            for (const auto& name : libraries->children) {
                names.push_back({hook, &name, libraries->children.size() == 1});
            }
        }
    }
    return names;
}

// Where a line of the text begins; `line` is counted from 1.
std::size_t begin_of(const std::string& text, std::size_t line)
{
    std::size_t at = 0;
    for (std::size_t i = 1; i < line && at != std::string::npos; ++i) {
        at = text.find('\n', at);
        at = at == std::string::npos ? at : at + 1;
    }
    return at;
}

// Where that name begins, after its quote; npos if it is not written as a plain text in quotes.
std::size_t find_quoted(const std::string& text, const Node& name)
{
    // Positions count characters, of which a name has one byte each; what precedes it may have more.
    const auto begin = begin_of(text, name.position.line);
    const auto first = begin == std::string::npos ? begin : begin + name.position.column - 1;
    const auto at =
        std::min(text.find(fmt::format("\"{}\"", name.text), first), text.find(fmt::format("'{}'", name.text), first));
    return at == std::string::npos || at > text.find('\n', first) ? std::string::npos : at + 1;
}

// Without the element at [begin, end), its comma, and the blanks between them.
std::string without_element(const std::string& text, std::size_t begin, std::size_t end)
{
    constexpr std::string_view blanks = " \t";
    const auto next = text.find_first_not_of(blanks, end);
    if (next != std::string::npos && text[next] == ',') {
        const auto rest = text.find_first_not_of(blanks, next + 1);
        return text.substr(0, begin) + text.substr(std::min(rest, text.size()));
    }
    const auto before = text.find_last_not_of(" \t\r\n", begin - 1);
    const bool has_comma = before != std::string::npos && text[before] == ',';
    return text.substr(0, has_comma ? before : begin) + text.substr(end);
}

std::size_t count_names(const std::string& text, const std::string& file)
{
    FaultList faults;
    const auto tree = read_toml(text, file, faults);
    return tree ? library_names(*tree).size() : 0;
}

using Concerned = std::function<bool(const NameInHook&)>;
// The text with that name changed or removed; `names` is the number of all names in it.
using EditOne = std::function<Result<std::string>(const std::string& text, const NameInHook& one, std::size_t names)>;

// One after the other, because each edit moves the names behind it; afterwards none is concerned.
Result<std::string> edit_each(const std::string& text, const std::string& file, const Concerned& concerned,
                              const EditOne& edit)
{
    auto changed = text;
    for (;;) {
        FaultList faults;
        const auto tree = read_toml(changed, file, faults);
        if (!tree) {
            return Error(ErrorKind::config, fmt::format("{} is not valid TOML", file));
        }
        const auto names = library_names(*tree);
        const auto found = std::find_if(names.begin(), names.end(), concerned);
        if (found == names.end()) {
            return changed;
        }
        SHELFD_TRY_ASSIGN(next, edit(changed, *found, names.size()));
        changed = std::move(next);
    }
}

bool is_one_of(const std::vector<std::string>& names, const NameInHook& one)
{
    return std::find(names.begin(), names.end(), one.name->text) != names.end();
}

}  // namespace

Result<std::string> rename_in_hooks(const std::string& text, const std::string& file,
                                    const std::vector<std::string>& from, const std::string& to)
{
    const auto concerned = [&](const NameInHook& one) { return one.name->text != to && is_one_of(from, one); };
    const auto rename = [&](const std::string& present, const NameInHook& one, std::size_t) -> Result<std::string> {
        const auto& name = *one.name;
        const auto at = find_quoted(present, name);
        if (at == std::string::npos) {
            return Error(ErrorKind::config, fmt::format("{}: write \"{}\" instead of \"{}\" there",
                                                        to_text(name.position), to, name.text));
        }
        auto next = present;
        next.replace(at, name.text.size(), to);
        return next;
    };
    return edit_each(text, file, concerned, rename);
}

Result<std::string> remove_from_hooks(const std::string& text, const std::string& file,
                                      const std::vector<std::string>& names)
{
    const auto concerned = [&](const NameInHook& one) { return is_one_of(names, one); };
    const auto remove = [&](const std::string& present, const NameInHook& one,
                            std::size_t before) -> Result<std::string> {
        const auto& name = *one.name;
        if (one.is_only) {
            return Error(
                ErrorKind::config,
                fmt::format("{0}: hook {1} is for {2} alone: remove [hooks.{1}], or name other libraries there",
                            to_text(name.position), one.hook->key, name.text));
        }
        const auto at = find_quoted(present, name);
        auto next = at == std::string::npos ? "" : without_element(present, at - 1, at + name.text.size() + 1);
        if (count_names(next, file) + 1 != before) {
            return Error(ErrorKind::config, fmt::format("{}: remove \"{}\" from libraries of hook {}",
                                                        to_text(name.position), name.text, one.hook->key));
        }
        return next;
    };
    return edit_each(text, file, concerned, remove);
}

}  // namespace shelfd::config
