#include "sim/base64.hpp"

#include <cstdint>

namespace shelfd::sim {

namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}

std::string encode_base64(std::string_view bytes)
{
    std::string out;
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const auto group = bytes.substr(at, 3);
        std::uint32_t bits = 0;
        for (std::size_t place = 0; place < 3; ++place) {
            bits = bits << 8 | (place < group.size() ? static_cast<unsigned char>(group[place]) : 0U);
        }
        for (std::size_t place = 0; place < 4; ++place) {
            out += place <= group.size() ? alphabet[(bits >> (18 - 6 * place)) & 63] : '=';
        }
    }
    return out;
}

std::optional<std::string> decode_base64(std::string_view text)
{
    if (text.size() % 4 != 0) {
        return std::nullopt;
    }
    std::size_t padding = 0;
    while (padding < 2 && text.ends_with('=')) {
        text.remove_suffix(1);
        ++padding;
    }
    std::string out;
    std::uint32_t bits = 0;
    int held = 0;
    for (const char letter : text) {
        const auto value = alphabet.find(letter);
        if (value == std::string_view::npos) {
            return std::nullopt;
        }
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        held += 6;
        if (held >= 8) {
            held -= 8;
            out += static_cast<char>((bits >> held) & 0xff);
        }
    }
    return out;
}

}  // namespace shelfd::sim
