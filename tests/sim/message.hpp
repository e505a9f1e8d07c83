// One HTTP request as the service reads it, one reply as it will be written, and the query strings between them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shelfd::sim {

struct Header {
    std::string name;
    std::string value;
};

// Decoded, in the order of the text; a key may come more than once.
using Query = std::vector<std::pair<std::string, std::string>>;

// Of application/x-www-form-urlencoded text: '+' is a space, a key without '=' has an empty value.
Query parse_query(std::string_view text);
// As Python's urlencode writes it.
std::string encode_query(const Query& query);
std::optional<std::string> find(const Query& query, std::string_view key);
std::string decode_percent(std::string_view text);
std::string encode_percent(std::string_view text);

// What arrived. `chunked` because a WSGI application sees no body then; `secure` is the connection's own TLS.
struct Request {
    std::string method;
    std::string target;
    std::vector<Header> headers;
    std::string body;
    bool chunked = false;
    bool secure = false;

    std::string path() const { return decode_percent(std::string_view(target).substr(0, target.find('?'))); }
    std::string_view query_text() const;
    Query query() const { return parse_query(query_text()); }
    // The first header of that name, in any case of letters.
    std::optional<std::string> header(std::string_view name) const;
    std::size_t count(std::string_view name) const;
    // "https://api.example.com": made of what the client claims, X-Forwarded-Proto and Host, as Django does.
    std::string origin() const;
};

// What is to be answered, without the headers that every answer gets (Server, Date, Content-Length, Connection).
struct Reply {
    int status = 200;
    std::string content_type;
    std::string body;
    std::vector<Header> headers;
};

const char* reason_of(int status);
std::string lower(std::string_view text);
bool same_word(std::string_view a, std::string_view b);

}  // namespace shelfd::sim
