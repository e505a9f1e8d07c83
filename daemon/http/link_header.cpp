#include "http/link_header.hpp"

#include <boost/algorithm/string/predicate.hpp>
#include <boost/algorithm/string/split.hpp>
#include <boost/algorithm/string/trim.hpp>

#include <algorithm>
#include <vector>

namespace shelfd::http {
namespace {

// Returns the text up to the next of `ends` outside quotes.
std::string_view take_until(std::string_view& text, std::string_view ends)
{
    bool quoted = false;
    std::size_t at = 0;
    for (; at < text.size() && (quoted || ends.find(text[at]) == std::string_view::npos); ++at) {
        if (text[at] == '"') {
            quoted = !quoted;
        } else if (quoted && text[at] == '\\') {
            ++at;
        }
    }
    at = std::min(at, text.size());
    const auto taken = text.substr(0, at);
    text.remove_prefix(at);
    return taken;
}

bool names(std::string_view parameter, std::string_view relation)
{
    const auto equals = parameter.find('=');
    if (equals == std::string_view::npos) {
        return false;
    }
    std::string name(parameter.substr(0, equals));
    std::string value(parameter.substr(equals + 1));
    boost::trim(name);
    // Either kind of quotes: some services write the wrong one.
    boost::trim_if(value, boost::is_any_of(" \t\"'"));
    if (!boost::iequals(name, "rel")) {
        return false;
    }
    std::vector<std::string> relations;
    boost::split(relations, value, boost::is_any_of(" \t"), boost::token_compress_on);
    return std::any_of(relations.begin(), relations.end(),
                       [relation](const std::string& one) { return boost::iequals(one, relation); });
}

}  // namespace

std::optional<std::string> link_target(std::string_view header, std::string_view relation)
{
    while (true) {
        const auto open = header.find('<');
        const auto close = open == std::string_view::npos ? open : header.find('>', open);
        if (close == std::string_view::npos) {
            return std::nullopt;
        }
        const auto target = header.substr(open + 1, close - open - 1);
        header.remove_prefix(close + 1);
        take_until(header, ";,");
        while (!header.empty() && header.front() == ';') {
            header.remove_prefix(1);
            if (names(take_until(header, ";,"), relation)) {
                return std::string(target);
            }
        }
    }
}

}  // namespace shelfd::http
