// Addresses: which are valid, where a secret may be sent, and queries without duplicate keys.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::http {

// Scheme, host and port: a bearer token is never sent to another origin. Equal exactly if equal by RFC 6454.
struct Origin {
    std::string scheme;  // "http" or "https"
    std::string host;    // lower case; an IPv6 address without brackets
    std::uint16_t port = 0;

    // "https://api.example.com", with the port only if it is not the scheme's default.
    std::string text() const;
    // 127.0.0.0/8, ::1, localhost: plain http to these does not reach a network.
    bool is_loopback() const;
    friend bool operator==(const Origin&, const Origin&) = default;
};

struct Url {
    Origin origin;
    std::string path;   // "/" or longer, percent-encoded as given
    std::string query;  // without '?', percent-encoded as given

    std::string text() const;
    friend bool operator==(const Url&, const Url&) = default;
};

struct Param {
    std::string name;   // decoded
    std::string value;  // decoded
    friend bool operator==(const Param&, const Param&) = default;
};
using Params = std::vector<Param>;

// Parses an absolute http or https address. Refuses user names, control characters and blanks (kind usage; the text
// names the fault but not the query); drops a fragment.
Result<Url> parse_url(std::string_view text);

// Escapes everything except RFC 3986's unreserved characters as %XX; so a '+' in a time stays a '+'.
std::string percent_encode(std::string_view text);

// A path segment "." or ".." leads to another path, and no encoding prevents that (RFC 3986 section 6.2.2).
bool has_dot_segment(std::string_view path);

// Convert "a=1&b=%2B"; '+' is read as a blank (HTML forms), a blank is written as %20.
Params parse_query(std::string_view query);
std::string format_query(const Params& params);

// The query of a link that a service gave, absolute or relative; "" if it has none.
std::string query_of(std::string_view link);
// The path of such a link, "/" or longer; "" if it has none.
std::string path_of(std::string_view link);

// `over` wins: a name in it replaces all values of that name in `params`. Several values of one name in the same list
// are kept, because services read "?id=1&id=2" as alternatives.
Params merge_params(Params params, const Params& over);

// `base` (its path without a trailing slash is a prefix) + `path`, which may have a query of its own, + `params`, which
// replace parameters of that query.
std::string join(const Url& base, std::string_view path, const Params& params = {});

}  // namespace shelfd::http
