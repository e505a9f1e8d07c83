#include "config/tree/environment.hpp"

#include "base/result.hpp"

#include <fmt/format.h>

#include <cctype>
#include <string_view>

namespace shelfd::config {
namespace {

bool is_variable(std::string_view name)
{
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) {
        return false;
    }
    for (const char c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') {
            return false;
        }
    }
    return true;
}

Result<std::string> expand(std::string_view text, const Environment& environment)
{
    std::string expanded;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '$') {
            expanded += text[at];
            continue;
        }
        const auto rest = text.substr(at + 1);
        if (rest.starts_with('$')) {
            expanded += '$';
            ++at;
            continue;
        }
        const auto end = rest.find('}');
        if (!rest.starts_with('{') || end == rest.npos || !is_variable(rest.substr(1, end - 1))) {
            return Error(ErrorKind::config,
                         "a lone $: write $$ for a dollar sign, ${NAME} for an environment variable");
        }
        const std::string name(rest.substr(1, end - 1));
        const auto found = environment.find(name);
        if (found == environment.end()) {
            return Error(ErrorKind::config, fmt::format("the environment variable {} is not set", name));
        }
        expanded += found->second;
        at += end + 1;
    }
    return expanded;
}

}  // namespace

void expand_environment(Node& root, const Environment& environment, FaultList& faults)
{
    if (root.kind == Node::Kind::string) {
        auto expanded = expand(root.text, environment);
        if (expanded) {
            root.text = std::move(*expanded);
        } else {
            faults.add(root.position, expanded.error().text());
            root.faulty = true;
        }
    }
    for (auto& child : root.children) {
        expand_environment(child, environment, faults);
    }
}

std::string escape_dollars(const std::string& text)
{
    std::string escaped;
    for (const char c : text) {
        escaped.append(c == '$' ? 2 : 1, c);
    }
    return escaped;
}

}  // namespace shelfd::config
