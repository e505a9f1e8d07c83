#include "http/sample.hpp"

#include <fmt/core.h>

namespace shelfd::http {

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
    return text.empty() ? "(nothing)" : fmt::format("\"{}\"", text);
}

std::string describe_not_json(int status, std::string_view body)
{
    return fmt::format("the service answered {} with something that is not JSON: {}", status, sample(body));
}

}  // namespace shelfd::http
