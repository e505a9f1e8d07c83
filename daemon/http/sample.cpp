#include "http/sample.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace shelfd::http {
namespace {

// Ten characters and more with a digit among them: what a token looks like.
bool may_be_secret(std::string_view word)
{
    constexpr std::size_t shortest = 10;
    return word.size() >= shortest && word.find_first_of("0123456789") != std::string_view::npos;
}

std::string without_secrets(std::string_view text)
{
    std::string shown;
    while (!text.empty()) {
        const auto word = text.substr(0, text.find(' '));
        shown += may_be_secret(word) ? "..." : word;
        text.remove_prefix(word.size());
        const auto blanks = std::min(text.find_first_not_of(' '), text.size());
        shown += text.substr(0, blanks);
        text.remove_prefix(blanks);
    }
    return shown;
}

}  // namespace

std::string sample(std::string_view body)
{
    // Text before the first brace may be data as well.
    const auto begin = body.find_first_not_of(" \t\r\n");
    const bool is_markup = begin != std::string_view::npos && body[begin] == '<';
    if (!is_markup && body.substr(0, 200).find_first_of("{[") != std::string_view::npos) {
        return fmt::format("{} bytes of an unknown form that may contain data", body.size());
    }
    std::string text;
    for (const char c : body.substr(0, 200)) {
        const auto byte = static_cast<unsigned char>(c);
        text += byte < 0x20 || byte >= 0x7f ? ' ' : c;
    }
    return text.empty() ? "(nothing)" : fmt::format("\"{}\"", without_secrets(text));
}

std::string describe_not_json(int status, std::string_view body)
{
    return fmt::format("the service answered {} with something that is not JSON: {}", status, sample(body));
}

}  // namespace shelfd::http
