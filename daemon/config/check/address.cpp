#include "config/check/address.hpp"

#include "base/text.hpp"
#include "config/check/values.hpp"

#include <fmt/format.h>

#include <arpa/inet.h>

#include <algorithm>
#include <string>

namespace shelfd::config {
namespace {

Error wrong(std::string text)
{
    return Error(ErrorKind::config, std::move(text));
}

struct Address {
    std::string scheme;  // lower case
    std::string host;    // lower case; IPv6 in brackets
    std::string port;    // "" = the scheme's default
    std::string user_info;
    std::string rest;  // from the first of / ? #
};

bool is_host_name(std::string_view host)
{
    const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.'; };
    return !host.empty() && host.size() <= 253 && std::all_of(host.begin(), host.end(), fits) && host.front() != '.' &&
           host.front() != '-' && host.find("..") == host.npos;
}

bool is_ipv6(const std::string& bracketed)
{
    in6_addr address{};
    return bracketed.size() > 2 && bracketed.front() == '[' && bracketed.back() == ']' &&
           ::inet_pton(AF_INET6, bracketed.substr(1, bracketed.size() - 2).c_str(), &address) == 1;
}

bool is_port(std::string_view port)
{
    if (port.empty() || port.size() > 5 || port.find_first_not_of("0123456789") != port.npos) {
        return false;
    }
    const int number = std::stoi(std::string(port));
    return number >= 1 && number <= 65'535;
}

// The address in "127.0.0.1:9464" or "[::1]:9464", without brackets; "" if it is not numeric or has no port.
std::string listen_host(std::string_view text)
{
    const auto colon = text.rfind(':');
    if (colon == text.npos || !is_port(text.substr(colon + 1))) {
        return "";
    }
    const std::string host(text.substr(0, colon));
    if (is_ipv6(host)) {
        return host.substr(1, host.size() - 2);
    }
    in_addr address{};
    return ::inet_pton(AF_INET, host.c_str(), &address) == 1 ? host : "";
}

Result<Address> split(std::string_view text)
{
    const auto mark = text.find("://");
    if (mark == text.npos) {
        return wrong("must be a complete address, \"https://host\"");
    }
    Address address;
    address.scheme = lower(text.substr(0, mark));
    text.remove_prefix(mark + 3);
    const auto end = std::min(text.find_first_of("/?#\\"), text.size());
    address.rest = text.substr(end);
    auto authority = text.substr(0, end);
    if (const auto at = authority.rfind('@'); at != authority.npos) {
        address.user_info = authority.substr(0, at);
        authority.remove_prefix(at + 1);
    }
    const auto colon = authority.rfind(':');
    const auto bracket = authority.rfind(']');
    if (colon != authority.npos && (bracket == authority.npos || colon > bracket)) {
        address.port = authority.substr(colon + 1);
        if (!is_port(address.port)) {
            return wrong("must have a port from 1 to 65535");
        }
        authority = authority.substr(0, colon);
    }
    address.host = lower(authority);
    if (!is_host_name(address.host) && !is_ipv6(address.host)) {
        return wrong(address.host.empty() ? "must name a host" : "must have a valid DNS host name");
    }
    return address;
}

bool is_loopback(const std::string& host)
{
    in_addr address{};
    const bool is_v4 = ::inet_pton(AF_INET, host.c_str(), &address) == 1;
    return host == "localhost" || host == "[::1]" || (is_v4 && host.starts_with("127."));
}

// Tokens are sent to this address, so plain HTTP is allowed only within the machine.
Result<void> check_safe(const Address& address)
{
    if (address.scheme != "https" && !(address.scheme == "http" && is_loopback(address.host))) {
        return wrong(address.scheme == "http" ? "must be https: http is for loopback only (localhost, 127.0.0.1, [::1])"
                                              : "must begin with https://");
    }
    if (!address.user_info.empty()) {
        return wrong("must not contain a user name or a password");
    }
    return {};
}

}  // namespace

Result<std::string> parse_origin(std::string_view text)
{
    SHELFD_TRY_ASSIGN(address, split(text));
    SHELFD_TRY(check_safe(address));
    if (!address.rest.empty() && address.rest != "/") {
        const auto mark = address.rest.front();
        const auto* const part = mark == '?' ? "a query" : mark == '#' ? "a fragment" : "a path";
        return wrong(fmt::format("must be an origin, \"{}://{}{}{}\", without {}", address.scheme, address.host,
                                 address.port.empty() ? "" : ":", address.port, part));
    }
    return fmt::format("{}://{}{}{}", address.scheme, address.host, address.port.empty() ? "" : ":", address.port);
}

Result<void> check_url(std::string_view text)
{
    SHELFD_TRY_ASSIGN(address, split(text));
    if (text.find_first_of(" \\#") != text.npos || !is_printable(text)) {
        return wrong("must not contain a space, backslash or fragment");
    }
    return check_safe(address);
}

Result<void> check_proxy(std::string_view text)
{
    SHELFD_TRY_ASSIGN(address, split(text));
    const auto& scheme = address.scheme;
    if (scheme != "http" && scheme != "https" && scheme != "socks5" && scheme != "socks5h") {
        return wrong("must begin with http://, https://, socks5:// or socks5h://");
    }
    if (!address.user_info.empty()) {
        return wrong("must not contain a user name or a password");
    }
    if (!address.rest.empty() && address.rest != "/") {
        return wrong("must end after host and port");
    }
    return {};
}

Result<void> check_route(std::string_view text)
{
    if (text.find("://") != text.npos) {
        return wrong("must be a path without scheme and host, which come from base_url");
    }
    if (text.empty() || text.front() != '/') {
        return wrong("must begin with \"/\"");
    }
    if (text.starts_with("//")) {
        return wrong("must begin with one \"/\": two would name another host");
    }
    if (text.find('?') != text.npos) {
        return wrong("must not contain a query: write it as params = { … }");
    }
    if (text.find_first_of("#\\ ") != text.npos || !is_printable(text)) {
        return wrong("must not contain a space, backslash, fragment or control character");
    }
    if (std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) > 0x7e; })) {
        return wrong("must be ASCII: percent-encode other characters");
    }
    if (text.find("/../") != text.npos || text.ends_with("/..")) {
        return wrong("must not contain \"..\"");
    }
    return {};
}

Result<void> check_listen(std::string_view text)
{
    return listen_host(text).empty()
               ? wrong("must be a numeric address and a port, like \"127.0.0.1:9464\" or \"[::1]:9464\"")
               : Result<void>();
}

bool is_loopback_listen(std::string_view text)
{
    const auto host = listen_host(text);
    return host == "::1" || host.starts_with("127.");
}

}  // namespace shelfd::config
