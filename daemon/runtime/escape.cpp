#include "runtime/escape.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace shelfd {
namespace {

unsigned byte_at(std::string_view text, std::size_t at)
{
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u;
}

// How many bytes the character at the beginning takes; 0 when it is none (Unicode 15, table 3-7).
std::size_t character_length(std::string_view text)
{
    const auto first = byte_at(text, 0);
    const auto second = byte_at(text, 1);
    const auto is_tail = [text](std::size_t at) { return (byte_at(text, at) & 0xc0u) == 0x80u; };
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first <= 0xdf)
        return is_tail(1) ? 2 : 0;
    if (first >= 0xe0 && first <= 0xef) {
        const bool overlong = first == 0xe0 && second < 0xa0;
        const bool surrogate = first == 0xed && second > 0x9f;
        return is_tail(1) && is_tail(2) && !overlong && !surrogate ? 3 : 0;
    }
    if (first >= 0xf0 && first <= 0xf4) {
        const bool overlong = first == 0xf0 && second < 0x90;
        const bool too_large = first == 0xf4 && second > 0x8f;
        return is_tail(1) && is_tail(2) && is_tail(3) && !overlong && !too_large ? 4 : 0;
    }
    return 0;
}

// U+0000 to U+001F, U+007F to U+009F: terminals obey the last 32 as well.
bool is_control(std::string_view character)
{
    const auto first = byte_at(character, 0);
    return first < 0x20 || first == 0x7f || (first == 0xc2 && byte_at(character, 1) < 0xa0);
}

unsigned code_of(std::string_view control)
{
    return control.size() == 1 ? byte_at(control, 0) : byte_at(control, 1);
}

}  // namespace

std::string escape_line(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const auto length = character_length(text);
        const auto character = text.substr(0, std::max<std::size_t>(length, 1));
        if (length == 0) {
            out += fmt::format("\\x{:02x}", byte_at(text, 0));
        } else if (is_control(character)) {
            out += fmt::format("\\x{:02x}", code_of(character));
        } else {
            out += character;
        }
        text.remove_prefix(character.size());
    }
    return out;
}

std::string json_string(std::string_view text)
{
    std::string out = "\"";
    out.reserve(text.size() + 2);
    while (!text.empty()) {
        const auto length = character_length(text);
        const auto character = text.substr(0, std::max<std::size_t>(length, 1));
        if (length == 0) {
            out += "\\ufffd";
        } else if (is_control(character)) {
            out += fmt::format("\\u{:04x}", code_of(character));
        } else if (character == "\"" || character == "\\") {
            out += '\\';
            out += character;
        } else {
            out += character;
        }
        text.remove_prefix(character.size());
    }
    return out + '"';
}

}  // namespace shelfd
