#include "base/words/safe_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace shelfd {
namespace {

unsigned byte_at(std::string_view text, std::size_t at)
{
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u;
}

// Length in bytes of the UTF-8 character at the beginning; 0 when it is invalid (Unicode 15, table 3-7).
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

// Code point of `character`, which is one valid UTF-8 character.
char32_t code_of(std::string_view character)
{
    const auto tail = [character](std::size_t at) { return static_cast<char32_t>(byte_at(character, at) & 0x3fu); };
    const char32_t first = byte_at(character, 0);
    switch (character.size()) {
    case 1: return first;
    case 2: return (first & 0x1fu) << 6 | tail(1);
    case 3: return (first & 0x0fu) << 12 | tail(1) << 6 | tail(2);
    default: return (first & 0x07u) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3);
    }
}

// Terminals also obey the controls from U+0080 on. The others: Arabic letter mark, direction marks, line and paragraph
// separators, embeddings and overrides, isolates and the deprecated characters after them (UAX #9).
bool is_unsafe(char32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x206f);
}

bool is_plain(char byte)
{
    return byte >= ' ' && byte < 0x7f;
}

// `replace` returns the replacement of an unsafe character, `replace_byte` that of a byte that is not UTF-8.
template <typename Replace, typename ReplaceByte>
std::string replace_unsafe(std::string_view text, Replace replace, ReplaceByte replace_byte)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const auto plain = std::find_if_not(text.begin(), text.end(), is_plain) - text.begin();
        out += text.substr(0, static_cast<std::size_t>(plain));
        text.remove_prefix(static_cast<std::size_t>(plain));
        if (text.empty()) {
            break;
        }
        const auto length = character_length(text);
        const auto character = text.substr(0, std::max<std::size_t>(length, 1));
        if (length == 0) {
            out += replace_byte(byte_at(text, 0));
        } else if (const auto code = code_of(character); is_unsafe(code)) {
            out += replace(code);
        } else {
            out += character;
        }
        text.remove_prefix(character.size());
    }
    return out;
}

std::string for_people(char32_t code)
{
    switch (code) {
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: break;
    }
    const auto number = static_cast<std::uint32_t>(code);
    return code < 0x100 ? fmt::format("\\x{:02x}", number) : fmt::format("\\u{:04x}", number);
}

std::string byte_for_people(unsigned byte)
{
    return fmt::format("\\x{:02x}", byte);
}

std::string for_json(char32_t code)
{
    return fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code));
}

std::string byte_for_json(unsigned)
{
    return "\\ufffd";
}

}  // namespace

std::string escape_line(std::string_view text)
{
    return replace_unsafe(text, for_people, byte_for_people);
}

std::string escape_text(std::string_view text)
{
    const auto replace = [](char32_t code) {
        return code == '\n' || code == '\t' ? std::string(1, static_cast<char>(code)) : for_people(code);
    };
    return replace_unsafe(text, replace, byte_for_people);
}

std::string escape_json(std::string_view json)
{
    // Outside strings these are white space of JSON; inside strings JSON does not allow them.
    const auto replace = [](char32_t code) {
        return code == '\n' || code == '\t' ? std::string(1, static_cast<char>(code))
               : code == '\r'               ? std::string()
                                            : for_json(code);
    };
    return replace_unsafe(json, replace, byte_for_json);
}

std::string json_string(std::string_view text)
{
    std::string quoted = "\"";
    quoted.reserve(text.size() + 2);
    for (const char c : text) {
        quoted.append(c == '"' || c == '\\' ? 1 : 0, '\\') += c;
    }
    return replace_unsafe(quoted + '"', for_json, byte_for_json);
}

}  // namespace shelfd
