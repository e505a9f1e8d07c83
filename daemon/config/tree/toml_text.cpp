#include "config/tree/toml_text.hpp"

#include "config/tree/environment.hpp"

#include <fmt/format.h>

namespace shelfd::config {

std::string quote(const std::string& text)
{
    std::string quoted = "\"";
    for (const char c : escape_dollars(text)) {
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) {
            quoted += fmt::format("\\u{:04X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        } else {
            quoted += c;
        }
    }
    return quoted + '"';
}

std::string array_of(const std::vector<std::string>& texts)
{
    std::vector<std::string> quoted;
    for (const auto& text : texts) {
        quoted.push_back(quote(text));
    }
    return fmt::format("[{}]", fmt::join(quoted, ", "));
}

std::string table_of(const std::map<std::string, std::string>& members)
{
    std::vector<std::string> pairs;
    for (const auto& [name, value] : members) {
        // Keys are not expanded: a dollar sign in them is unchanged.
        std::string key = quote(name);
        for (auto at = key.find("$$"); at != std::string::npos; at = key.find("$$", at + 1)) {
            key.erase(at, 1);
        }
        pairs.push_back(fmt::format("{} = {}", key, quote(value)));
    }
    return fmt::format("{{ {} }}", fmt::join(pairs, ", "));
}

std::string inline_table(const std::vector<std::pair<std::string, std::string>>& pairs)
{
    std::vector<std::string> members;
    for (const auto& [key, value] : pairs) {
        members.push_back(fmt::format("{} = {}", key, value));
    }
    return fmt::format("{{ {} }}", fmt::join(members, ", "));
}

}  // namespace shelfd::config
