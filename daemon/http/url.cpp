#include "http/url.hpp"

#include "base/text.hpp"
#include "base/words/digits.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

namespace shelfd::http {
namespace {

std::uint16_t default_port(std::string_view scheme)
{
    return scheme == "https" ? 443 : 80;
}

bool is_host_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

bool is_unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_' || c == '~';
}

std::optional<unsigned> hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f')
        return static_cast<unsigned>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F')
        return static_cast<unsigned>(c - 'A' + 10);
    return std::nullopt;
}

std::string decode(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size()) {
            const auto high = hex_digit(text[i + 1]);
            const auto low = hex_digit(text[i + 2]);
            if (high && low) {
                out += static_cast<char>(*high * 16 + *low);
                i += 2;
                continue;
            }
        }
        out += text[i] == '+' ? ' ' : text[i];
    }
    return out;
}

Error bad_address(const std::string& why)
{
    return {ErrorKind::usage, "invalid address: " + why};
}

// "host", "host:port", "[address]:port"
Result<Origin> parse_authority(const std::string& scheme, std::string_view authority)
{
    Origin origin{scheme, "", default_port(scheme)};
    if (authority.find('@') != std::string_view::npos) {
        return bad_address("an address must not contain a user name or password");
    }
    const bool bracketed = authority.substr(0, 1) == "[";
    const auto host_end = bracketed ? authority.find(']') : std::min(authority.find(':'), authority.size());
    if (host_end == std::string_view::npos) {
        return bad_address("'[' without ']'");
    }
    origin.host = lower(bracketed ? authority.substr(1, host_end - 1) : authority.substr(0, host_end));
    const auto fits = [bracketed](char c) { return is_host_character(c) || (bracketed && c == ':'); };
    if (origin.host.empty() || !std::all_of(origin.host.begin(), origin.host.end(), fits)) {
        return bad_address("no usable host name");
    }
    const auto rest = authority.substr(host_end + (bracketed ? 1 : 0));
    if (rest.empty()) {
        return origin;
    }
    const auto digits = rest.substr(1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), origin.port);
    if (rest.front() != ':' || error != std::errc() || end != digits.data() + digits.size() || origin.port == 0) {
        return bad_address("the port must be a number from 1 to 65535");
    }
    return origin;
}

}  // namespace

std::string Origin::text() const
{
    const auto name = host.find(':') == std::string::npos ? host : "[" + host + "]";
    return port == default_port(scheme) ? fmt::format("{}://{}", scheme, name)
                                        : fmt::format("{}://{}:{}", scheme, name, port);
}

bool Origin::is_loopback() const
{
    const auto numeric = std::all_of(host.begin(), host.end(), [](char c) { return c == '.' || is_digit(c); });
    return host == "localhost" || host == "::1" || (numeric && host.substr(0, 4) == "127.");
}

std::string Url::text() const
{
    return origin.text() + path + (query.empty() ? "" : "?" + query);
}

Result<Url> parse_url(std::string_view text)
{
    const auto visible = [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7f; };
    if (!std::all_of(text.begin(), text.end(), visible)) {
        return bad_address("it contains a blank or a control character");
    }
    const auto scheme_end = text.find("://");
    const auto scheme = lower(text.substr(0, std::min(scheme_end, text.size())));
    if (scheme_end == std::string_view::npos || (scheme != "http" && scheme != "https")) {
        return bad_address("it must begin with https:// or http://");
    }
    text.remove_prefix(scheme_end + 3);
    text = text.substr(0, text.find('#'));
    const auto authority = text.substr(0, text.find_first_of("/?"));
    SHELFD_TRY_ASSIGN(origin, parse_authority(scheme, authority));
    text.remove_prefix(authority.size());
    const auto path = text.substr(0, text.find('?'));
    text.remove_prefix(path.size());
    Url url{std::move(origin), std::string(path.empty() ? "/" : path), ""};
    if (!text.empty()) {
        url.query = std::string(text.substr(1));
    }
    return url;
}

std::string percent_encode(std::string_view text)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        if (is_unreserved(c)) {
            out += c;
        } else {
            const auto byte = static_cast<unsigned char>(c);
            out += {'%', digits[byte / 16U], digits[byte % 16U]};
        }
    }
    return out;
}

bool has_dot_segment(std::string_view path)
{
    path = path.substr(0, path.find('?'));
    for (std::size_t begin = 0; begin <= path.size();) {
        const auto end = std::min(path.find('/', begin), path.size());
        const auto segment = path.substr(begin, end - begin);
        if (segment == "." || segment == "..") {
            return true;
        }
        begin = end + 1;
    }
    return false;
}

Params parse_query(std::string_view query)
{
    Params params;
    while (!query.empty()) {
        const auto part = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(part.size() + 1, query.size()));
        if (part.empty()) {
            continue;
        }
        const auto equals = std::min(part.find('='), part.size());
        const auto value = part.substr(std::min(equals + 1, part.size()));
        params.push_back({decode(part.substr(0, equals)), decode(value)});
    }
    return params;
}

std::string format_query(const Params& params)
{
    std::string out;
    for (const auto& param : params) {
        out += out.empty() ? "" : "&";
        out += percent_encode(param.name) + "=" + percent_encode(param.value);
    }
    return out;
}

std::string query_of(std::string_view link)
{
    link = link.substr(0, link.find('#'));
    const auto mark = link.find('?');
    return mark == std::string_view::npos ? std::string() : std::string(link.substr(mark + 1));
}

std::string path_of(std::string_view link)
{
    link = link.substr(0, link.find_first_of("?#"));
    if (const auto scheme = link.find("://"); scheme != std::string_view::npos) {
        const auto path = link.find('/', scheme + 3);
        return path == std::string_view::npos ? "/" : std::string(link.substr(path));
    }
    return std::string(link);
}

Params merge_params(Params params, const Params& over)
{
    const auto replaced = [&over](const Param& old) {
        return std::any_of(over.begin(), over.end(), [&old](const Param& param) { return param.name == old.name; });
    };
    params.erase(std::remove_if(params.begin(), params.end(), replaced), params.end());
    params.insert(params.end(), over.begin(), over.end());
    return params;
}

std::string join(const Url& base, std::string_view path, const Params& params)
{
    path = path.substr(0, path.find('#'));
    const auto query = merge_params(parse_query(query_of(path)), params);
    path = path.substr(0, path.find('?'));
    Url url{base.origin, base.path, format_query(query)};
    while (!url.path.empty() && url.path.back() == '/') {
        url.path.pop_back();
    }
    if (path.empty() || path.front() != '/') {
        url.path += '/';
    }
    url.path += path;
    return url.text();
}

}  // namespace shelfd::http
