#include "oauth/set/token_scan.hpp"

#include "oauth/set/answer_objects.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace shelfd::oauth {
namespace {

constexpr std::string_view access_name = "accesstoken";
constexpr std::string_view refresh_name = "refreshtoken";
constexpr std::size_t shortest_token = 16;

// Words that forms put between a name and its value.
constexpr std::array<std::string_view, 10> between = {"value", "token", "text", "content", "string",
                                                      "cdata", "jwt",   "key",  "type",    "jwttoken"};

// Shorter names than the proper ones.
constexpr std::array<std::string_view, 3> access_names = {"access", "accessjwt", "authtoken"};
constexpr std::array<std::string_view, 3> refresh_names = {"refresh", "refreshjwt", "rt"};

bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool is_token_character(char c)
{
    return is_word(c) || c == '.' || c == '~' || c == '+' || c == '/' || c == '=';
}

bool is_mark(char c)
{
    return std::string_view(" \t\r\n\"':=,;>[]{}()!#").find(c) != std::string_view::npos;
}

// The run of characters from `at` on for which `fits` holds.
template <typename Fits>
std::string_view run(std::string_view text, std::size_t at, Fits fits)
{
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(std::min(at, text.size()));
    const auto end = std::find_if_not(begin, text.end(), fits);
    return {begin, end};
}

struct Value {
    std::string_view text;
    bool is_token = false;
};

// The value after a name that ends at `at`; "" if there is none, or a word that says so.
Value value_after(std::string_view text, std::size_t at)
{
    constexpr std::array<std::string_view, 6> nothing = {"null", "none", "nil", "false", access_name, refresh_name};
    for (;;) {
        const auto marks = run(text, at, is_mark).size();
        const bool opens = text.substr(at + marks).starts_with("<![CDATA[");
        at += marks + (opens ? std::string_view("<![CDATA[").size() : 0);
        const auto value = run(text, at, is_token_character);
        const auto word = plain_name(value);
        if (std::find(between.begin(), between.end(), word) != between.end() && marks > 0) {
            at += value.size();
            continue;
        }
        if (marks == 0 || std::find(nothing.begin(), nothing.end(), word) != nothing.end()) {
            return {};
        }
        const auto end = at + value.size();
        // What ends with the text may be cut.
        const bool is_closed = end < text.size() && (is_mark(text[end]) || text[end] == '<' || text[end] == '&');
        return {value, is_closed && value.size() >= shortest_token};
    }
}

enum class Kind { none, access, refresh };

template <std::size_t size>
bool is_among(const std::array<std::string_view, size>& names, std::string_view name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

Kind kind_of(std::string_view name, TokenNames names)
{
    const bool is_short = names == TokenNames::shorter;
    if (name == access_name || (is_short && is_among(access_names, name))) {
        return Kind::access;
    }
    return name == refresh_name || (is_short && is_among(refresh_names, name)) ? Kind::refresh : Kind::none;
}

// Calls `each` with every name of a token and the place after it.
template <typename Each>
void each_name(std::string_view text, TokenNames names, Each each)
{
    for (std::size_t at = 0; at < text.size();) {
        const auto word = run(text, at, is_word);
        if (word.empty()) {
            ++at;
            continue;
        }
        const bool closes = at >= 2 && text.substr(at - 2, 2) == "</";
        const auto kind = word.size() <= 20 && !closes ? kind_of(plain_name(word), names) : Kind::none;
        at += word.size();
        if (kind != Kind::none) {
            each(kind, at);
        }
    }
}

struct Candidate {
    std::string_view token;
    bool differ = false;

    void take(const Value& found)
    {
        differ = differ || !found.is_token || (!token.empty() && token != found.text);
        token = found.text;
    }
    bool is_one() const { return !token.empty() && !differ; }
};

}  // namespace

bool is_echo(std::string_view text, std::string_view presented)
{
    text = text.substr(0, text.find_last_not_of('.') + 1);  // "eyJhbG..."
    if (text.empty() || presented.empty()) {
        return false;
    }
    return presented.find(text) != std::string_view::npos || text.find(presented) != std::string_view::npos;
}

bool names_tokens(std::string_view body, std::string_view presented)
{
    bool found = false;
    each_name(body, TokenNames::proper, [&](Kind, std::size_t at) {
        const auto value = value_after(body, at).text;
        found = found || (!value.empty() && !is_echo(value, presented));
    });
    return found;
}

bool names_new_refresh(std::string_view body, std::string_view presented)
{
    bool found = false;
    each_name(body, TokenNames::proper, [&](Kind kind, std::size_t at) {
        const auto value = value_after(body, at);
        found = found || (kind == Kind::refresh && value.is_token && !is_echo(value.text, presented));
    });
    return found;
}

bool may_hold_tokens(std::string_view body, std::string_view presented)
{
    constexpr std::size_t longest_name = 48;
    const auto is_foreign = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 && std::string_view("\t\n\v\f\r").find(c) == std::string_view::npos;
    };
    const auto foreign = static_cast<std::size_t>(std::count_if(body.begin(), body.end(), is_foreign));
    if (body.size() >= 2 * shortest_token && foreign > body.size() / 32) {
        return true;  // compressed or encrypted
    }
    std::string_view first;
    for (std::size_t at = 0; at < body.size();) {
        const auto word = run(body, at, is_token_character);
        at += std::max<std::size_t>(word.size(), 1);
        const auto has = [&word](char from, char to) {
            return std::any_of(word.begin(), word.end(), [&](char c) { return c >= from && c <= to; });
        };
        const bool looks_random = has('0', '9') && (has('a', 'z') || has('A', 'Z'));
        if (word.size() < shortest_token || !looks_random || is_echo(word, presented)) {
            continue;
        }
        if (word.size() > longest_name || (!first.empty() && first != word)) {
            return true;
        }
        first = word;
    }
    return false;
}

TokenAnswer scan_tokens(std::string_view body, TokenNames names)
{
    Candidate access;
    Candidate refresh;
    each_name(body, names, [&](Kind kind, std::size_t at) {
        (kind == Kind::access ? access : refresh).take(value_after(body, at));
    });
    TokenAnswer answer;
    if (access.is_one() && refresh.is_one() && access.token != refresh.token) {
        answer.access = Secret(std::string(access.token));
        answer.refresh = Secret(std::string(refresh.token));
    }
    return answer;
}

}  // namespace shelfd::oauth
