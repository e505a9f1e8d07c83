// ASCII letters and spaces, independent of the locale; the byte order mark before UTF-8 text.
#pragma once

#include <string>
#include <string_view>

namespace shelfd {

constexpr char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::string lower(std::string_view text)
{
    std::string out(text);
    for (auto& c : out) {
        c = lower(c);
    }
    return out;
}

// `text` without leading and trailing `space`; the default is what C counts as white space.
constexpr std::string_view trimmed(std::string_view text, std::string_view space = " \t\r\n\v\f")
{
    const auto first = text.find_first_not_of(space);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(space) - first + 1);
}

// "Optional whitespace" in an HTTP line (RFC 9110 section 5.6.3).
inline constexpr std::string_view http_space = " \t";

// Some servers and editors put a byte order mark before UTF-8. RFC 8259 section 8.1: senders must not put one before
// JSON; readers may ignore one.
constexpr std::string_view without_byte_order_mark(std::string_view text)
{
    constexpr std::string_view mark = "\xef\xbb\xbf";
    return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

}  // namespace shelfd
