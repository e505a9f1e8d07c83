// What some servers and editors put in front of UTF-8.
#pragma once

#include <string_view>

namespace shelfd {

// RFC 8259 section 8.1: nobody may send one in front of JSON, and everybody may ignore one.
constexpr std::string_view without_byte_order_mark(std::string_view text)
{
    constexpr std::string_view mark = "\xef\xbb\xbf";
    return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

}  // namespace shelfd
