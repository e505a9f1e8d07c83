// The byte order mark that some servers and editors put before UTF-8 text.
#pragma once

#include <string_view>

namespace shelfd {

// RFC 8259 section 8.1: senders must not put a byte order mark before JSON; readers may ignore one.
constexpr std::string_view without_byte_order_mark(std::string_view text)
{
    constexpr std::string_view mark = "\xef\xbb\xbf";
    return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

}  // namespace shelfd
