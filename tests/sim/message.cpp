#include "sim/message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace shelfd::sim {

namespace {

int hex_value(char digit)
{
    if (digit >= '0' && digit <= '9') {
        return digit - '0';
    }
    const char small = static_cast<char>(digit | 0x20);
    return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

bool is_plain(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           byte == '_' || byte == '.' || byte == '-' || byte == '~';
}

std::string decode_form(std::string_view text)
{
    std::string spaced(text);
    std::replace(spaced.begin(), spaced.end(), '+', ' ');
    return decode_percent(spaced);
}

std::string encode_form(std::string_view text)
{
    std::string out;
    for (const char byte : text) {
        if (byte == ' ') {
            out += '+';
        } else {
            out += encode_percent(std::string_view(&byte, 1));
        }
    }
    return out;
}

}  // namespace

std::string decode_percent(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '%' && at + 2 < text.size() && hex_value(text[at + 1]) >= 0 && hex_value(text[at + 2]) >= 0) {
            out += static_cast<char>(hex_value(text[at + 1]) * 16 + hex_value(text[at + 2]));
            at += 2;
        } else {
            out += text[at];
        }
    }
    return out;
}

std::string encode_percent(std::string_view text)
{
    std::string out;
    for (const char byte : text) {
        if (is_plain(byte)) {
            out += byte;
        } else {
            out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
        }
    }
    return out;
}

Query parse_query(std::string_view text)
{
    Query query;
    while (!text.empty()) {
        const auto end = text.find('&');
        const auto pair = text.substr(0, end);
        if (!pair.empty()) {
            const auto equals = pair.find('=');
            const auto value = equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
            query.emplace_back(decode_form(pair.substr(0, equals)), decode_form(value));
        }
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return query;
}

std::string encode_query(const Query& query)
{
    std::string out;
    for (const auto& [key, value] : query) {
        out += (out.empty() ? "" : "&") + encode_form(key) + "=" + encode_form(value);
    }
    return out;
}

std::optional<std::string> find(const Query& query, std::string_view key)
{
    for (const auto& [name, value] : query) {
        if (name == key) {
            return value;
        }
    }
    return std::nullopt;
}

std::string_view Request::query_text() const
{
    const auto at = target.find('?');
    return at == std::string::npos ? std::string_view() : std::string_view(target).substr(at + 1);
}

std::optional<std::string> Request::header(std::string_view name) const
{
    for (const auto& header : headers) {
        if (same_word(header.name, name)) {
            return header.value;
        }
    }
    return std::nullopt;
}

std::size_t Request::count(std::string_view name) const
{
    return static_cast<std::size_t>(std::count_if(headers.begin(), headers.end(),
                                                  [&](const Header& header) { return same_word(header.name, name); }));
}

std::string Request::origin() const
{
    const auto scheme = header("X-Forwarded-Proto").value_or(secure ? "https" : "http");
    return scheme + "://" + header("Host").value_or("localhost");
}

std::string lower(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char byte) { return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : byte; });
    return out;
}

bool same_word(std::string_view a, std::string_view b)
{
    return a.size() == b.size() && lower(a) == lower(b);
}

const char* reason_of(int status)
{
    struct Named {
        int status;
        const char* reason;
    };
    static constexpr std::array<Named, 27> known{{
        {200, "OK"},
        {204, "No Content"},
        {301, "Moved Permanently"},
        {302, "Found"},
        {303, "See Other"},
        {307, "Temporary Redirect"},
        {308, "Permanent Redirect"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {402, "Payment Required"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {406, "Not Acceptable"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {410, "Gone"},
        {413, "Request Entity Too Large"},
        {415, "Unsupported Media Type"},
        {418, "I'm a teapot"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {451, "Unavailable For Legal Reasons"},
        {500, "Internal Server Error"},
        {502, "Bad Gateway"},
        {503, "Service Unavailable"},
        {504, "Gateway Timeout"},
    }};
    const auto* found =
        std::find_if(known.begin(), known.end(), [&](const Named& named) { return named.status == status; });
    return found == known.end() ? "Unknown" : found->reason;
}

}  // namespace shelfd::sim
