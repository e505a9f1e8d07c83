#include "sync/service/cursor_key.hpp"

#include <charconv>
#include <string>
#include <utility>

namespace shelfd::sync {
namespace {

std::optional<unsigned> sextet(char letter)
{
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const auto place = alphabet.find(letter);
    return place == std::string_view::npos ? std::nullopt : std::optional(static_cast<unsigned>(place));
}

// Decodes RFC 4648 section 4 with padding; empty for any other text.
std::optional<std::string> from_base64(std::string_view text)
{
    if (text.empty() || text.size() % 4 != 0) {
        return std::nullopt;
    }
    for (int pads = 0; pads < 2 && text.ends_with('='); ++pads) {
        text.remove_suffix(1);
    }
    std::string bytes;
    std::uint32_t bits = 0;
    int held = 0;
    for (const char letter : text) {
        const auto value = sextet(letter);
        if (!value) {
            return std::nullopt;
        }
        bits = bits << 6 | *value;
        held += 6;
        if (held >= 8) {
            held -= 8;
            bytes += static_cast<char>(bits >> held & 0xff);
        }
    }
    const auto rest = bits & ((1U << held) - 1);
    return rest == 0 ? std::optional(std::move(bytes)) : std::nullopt;
}

std::optional<std::int64_t> to_number(const std::string& text)
{
    std::int64_t number = 0;
    const auto* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> cursor_key(const Query& query)
{
    std::optional<std::int64_t> key;
    for (const auto& param : query.params()) {
        const auto inside = from_base64(param.value);
        if (!inside || !inside->starts_with("p=")) {
            continue;
        }
        const auto members = http::parse_query(*inside);
        const auto place = members.size() == 1 && members[0].name == "p" ? to_number(members[0].value) : std::nullopt;
        if (!place || key) {
            return std::nullopt;
        }
        key = place;
    }
    return key;
}

}  // namespace shelfd::sync
