// Addresses: what may be asked for, where a secret may go, and queries without doubled keys.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::http {

// Scheme, host and port: the boundary no bearer token crosses. Two origins are equal exactly when RFC 6454 says so.
struct Origin {
    std::string scheme;  // "http" or "https"
    std::string host;    // lower case; an IPv6 address without brackets
    std::uint16_t port = 0;

    // "https://api.example.com", with the port only where it is not the scheme's own.
    std::string text() const;
    // 127.0.0.0/8, ::1, localhost: where plain http shows nothing to a network.
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

// An absolute http or https address. User names, control characters and blanks are refused (kind usage, the text names
// the fault but not the query); a fragment is dropped.
Result<Url> parse_url(std::string_view text);

// Everything but RFC 3986's unreserved characters becomes %XX; so a '+' in a time stays a '+'.
std::string percent_encode(std::string_view text);

// A segment of a path that is "." or ".." leads elsewhere, and no encoding changes that (RFC 3986 section 6.2.2).
bool has_dot_segment(std::string_view path);

// "a=1&b=%2B" both ways; '+' is read as a blank (HTML forms), written as %20.
Params parse_query(std::string_view query);
std::string format_query(const Params& params);

// The query of a link a service gave, absolute or relative, and nothing else of it: "" when there is none.
std::string query_of(std::string_view link);
// The same of its path, "/" or longer; "" where it has none.
std::string path_of(std::string_view link);

// `over` wins: a name in it replaces every value that name has in `params`. Several values of one name inside one list
// are kept, since services read "?id=1&id=2" as a choice.
Params merge_params(Params params, const Params& over);

// `base` (its path, without a trailing slash, is a prefix) + `path`, which may bring a query of its own, + `params`,
// which win over that query.
std::string join(const Url& base, std::string_view path, const Params& params = {});

}  // namespace shelfd::http
