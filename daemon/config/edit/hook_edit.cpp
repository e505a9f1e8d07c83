#include "config/edit/hook_edit.hpp"

#include "config/tree/fault.hpp"
#include "config/tree/node.hpp"
#include "config/tree/toml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::config {
namespace {

// The names of libraries in all hooks, in the order of the text.
std::vector<const Node*> library_names(const Node& root)
{
    std::vector<const Node*> names;
    for (const auto* hook : tables_in(root.find("hooks"))) {
        if (const auto* libraries = hook->find("libraries")) {
            for (const auto& name : libraries->children) {
                names.push_back(&name);
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

}  // namespace

Result<std::string> rename_in_hooks(const std::string& text, const std::string& file,
                                    const std::vector<std::string>& from, const std::string& to)
{
    auto changed = text;
    // One after the other, because a longer name moves those behind it. Each of them is one less.
    for (;;) {
        FaultList faults;
        const auto tree = read_toml(changed, file, faults);
        if (!tree) {
            return Error(ErrorKind::config, fmt::format("{} is no TOML", file));
        }
        const auto names = library_names(*tree);
        const auto found = std::find_if(names.begin(), names.end(), [&](const Node* name) {
            return name->text != to && std::find(from.begin(), from.end(), name->text) != from.end();
        });
        if (found == names.end()) {
            return changed;
        }
        // Positions count characters, of which a name has one byte each; what precedes it may have more.
        const auto& position = (*found)->position;
        const auto begin = begin_of(changed, position.line);
        const auto first = begin == std::string::npos ? begin : begin + position.column - 1;
        const auto at = std::min(changed.find(fmt::format("\"{}\"", (*found)->text), first),
                                 changed.find(fmt::format("'{}'", (*found)->text), first));
        if (at == std::string::npos || at > changed.find('\n', first)) {
            return Error(ErrorKind::config, fmt::format("{}: write \"{}\" instead of \"{}\" there", to_text(position),
                                                        to, (*found)->text));
        }
        changed.replace(at + 1, (*found)->text.size(), to);
    }
}

}  // namespace shelfd::config
