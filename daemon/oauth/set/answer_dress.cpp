#include "oauth/set/answer_dress.hpp"

#include "base/text.hpp"
#include "oauth/set/inflated.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace shelfd::oauth {
namespace {

constexpr std::size_t most_readings = 24;
constexpr unsigned deepest = 8;

std::optional<unsigned> hex_value(std::string_view digits)
{
    unsigned value = 0;
    for (const char digit : digits) {
        const char small = lower(digit);
        const bool is_letter = small >= 'a' && small <= 'f';
        if (!is_letter && !(small >= '0' && small <= '9')) {
            return std::nullopt;
        }
        value = value * 16 + static_cast<unsigned>(is_letter ? small - 'a' + 10 : small - '0');
    }
    return value;
}

// Tokens and the names around them are ASCII. Any other character becomes a byte that no token can hold.
char ascii(unsigned unit)
{
    return unit > 0 && unit < 0x80 ? static_cast<char>(unit) : '\xff';
}

// The text that was put into a string of JSON, or of a language with such strings; "" if it holds no escape.
std::string unescaped(std::string_view text)
{
    text = trimmed(text);
    const bool is_quoted =
        text.size() >= 2 && text.front() == text.back() && (text.front() == '"' || text.front() == '\'');
    text = is_quoted ? text.substr(1, text.size() - 2) : text;
    if (!is_quoted && text.find('\\') == std::string_view::npos) {
        return "";
    }
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            out += text[i];
            continue;
        }
        const char escape = text[++i];
        const auto unit = escape == 'u' && i + 4 < text.size() ? hex_value(text.substr(i + 1, 4)) : std::nullopt;
        const auto is_space = escape == 'n' || escape == 'r' || escape == 't';
        out += unit ? ascii(*unit) : is_space ? '\n' : escape;
        i += unit ? 4 : 0;
    }
    return out;
}

std::string without_percent(std::string_view text)
{
    if (text.find("%22") == std::string_view::npos && text.find("%3D") == std::string_view::npos &&
        text.find("%3d") == std::string_view::npos) {
        return "";
    }
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto unit = text[i] == '%' && i + 2 < text.size() ? hex_value(text.substr(i + 1, 2)) : std::nullopt;
        out += unit ? static_cast<char>(*unit) : text[i];
        i += unit ? 2 : 0;
    }
    return out;
}

std::string without_entities(std::string_view text)
{
    constexpr std::array<std::pair<std::string_view, char>, 11> entities = {{{"&quot;", '"'},
                                                                             {"&#34;", '"'},
                                                                             {"&#x22;", '"'},
                                                                             {"&#39;", '\''},
                                                                             {"&#x27;", '\''},
                                                                             {"&apos;", '\''},
                                                                             {"&lt;", '<'},
                                                                             {"&gt;", '>'},
                                                                             {"&#x2F;", '/'},
                                                                             {"&#43;", '+'},
                                                                             {"&amp;", '&'}}};
    std::string out;
    bool found = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto rest = text.substr(i, 8);
        const auto is_it = [&rest](const auto& entity) { return rest.starts_with(entity.first); };
        const auto* const entity =
            rest.front() == '&' ? std::find_if(entities.begin(), entities.end(), is_it) : entities.end();
        const bool is_entity = entity != entities.end();
        found = found || is_entity;
        out += is_entity ? entity->second : text[i];
        i += is_entity ? entity->first.size() - 1 : 0;
    }
    return found ? std::move(out) : "";
}

// Of UTF-16 with or without its mark; "" for anything else.
std::string of_utf16(std::string_view text)
{
    const auto zeros_at = [text](std::size_t first) {
        std::size_t zeros = 0;
        for (auto i = first; i < text.size(); i += 2) {
            zeros += text[i] == '\0' ? 1 : 0;
        }
        return zeros;
    };
    const auto most = text.size() / 2;
    const bool is_big = zeros_at(0) > most * 3 / 4;
    if (text.size() < 32 || (!is_big && zeros_at(1) <= most * 3 / 4)) {
        return "";
    }
    std::string out;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
        const auto first = static_cast<unsigned char>(text[i]);
        const auto second = static_cast<unsigned char>(text[i + 1]);
        const auto unit = is_big ? first * 256u + second : second * 256u + first;
        if (unit != 0xfeff) {
            out += ascii(unit);
        }
    }
    return out;
}

int sextet(char c)
{
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char plain = c == '-' ? '+' : c == '_' ? '/' : c;
    const auto at = alphabet.find(plain);
    return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

// RFC 4648, both alphabets. Lines may be broken.
std::string of_base64(std::string_view text)
{
    std::string out;
    std::uint32_t bits = 0;
    unsigned held = 0;
    for (const char c : text) {
        if (const auto value = sextet(c); value >= 0) {
            bits = (bits << 6 | static_cast<std::uint32_t>(value)) & 0xffffffu;
            held += 6;
            if (held >= 8) {
                held -= 8;
                out += static_cast<char>(bits >> held & 0xffu);
            }
        }
    }
    return out;
}

// Adds what the long runs of base64 say, if it is about tokens.
void add_decoded(std::string_view text, std::vector<std::string>& all)
{
    constexpr std::size_t shortest = 64;
    for (std::size_t i = 0; i < text.size();) {
        auto end = i;
        while (end < text.size() && (sextet(text[end]) >= 0 || text[end] == '\r' || text[end] == '\n')) {
            ++end;
        }
        if (end - i >= shortest) {
            auto decoded = of_base64(text.substr(i, end - i));
            if (lower(decoded).find("token") != std::string::npos) {
                all.push_back(std::move(decoded));
            } else {
                Secret::wipe(decoded);
            }
        }
        i = end + 1;
    }
}

}  // namespace

std::vector<Secret> readings_of(std::string_view body)
{
    std::vector<Secret> readings;
    readings.emplace_back(std::string(body));
    if (body.size() > longest_reading) {
        return readings;
    }
    std::size_t level_end = readings.size();
    unsigned depth = 0;
    for (std::size_t i = 0; i < readings.size() && depth < deepest; ++i) {
        const auto text = readings[i].reveal();
        std::vector<std::string> next;
        next.push_back(inflated(text, longest_reading));
        next.push_back(of_utf16(text));
        next.push_back(unescaped(text));
        next.push_back(without_percent(text));
        next.push_back(without_entities(text));
        add_decoded(text, next);
        for (auto& one : next) {
            const bool is_news =
                !one.empty() && std::none_of(readings.begin(), readings.end(),
                                             [&](const Secret& known) { return known.reveal() == one; });
            if (is_news && readings.size() < most_readings) {
                readings.emplace_back(std::move(one));
            }
            Secret::wipe(one);
        }
        if (i + 1 == level_end) {
            level_end = readings.size();
            ++depth;
        }
    }
    return readings;
}

}  // namespace shelfd::oauth
