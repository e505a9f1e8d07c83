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
constexpr std::array<std::string_view, 9> between = {"value", "token", "text", "content", "string",
                                                     "cdata", "jwt",   "key",  "type"};

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

// Calls `each` with every name of a token and the place after it.
template <typename Each>
void each_name(std::string_view text, Each each)
{
    for (std::size_t at = 0; at < text.size();) {
        const auto word = run(text, at, is_word);
        if (word.empty()) {
            ++at;
            continue;
        }
        const bool closes = at >= 2 && text.substr(at - 2, 2) == "</";
        const auto name = word.size() <= 20 && !closes ? plain_name(word) : std::string();
        at += word.size();
        if (name == access_name || name == refresh_name) {
            each(name, at);
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

bool names_tokens(std::string_view body)
{
    bool found = false;
    each_name(body, [&](const std::string&, std::size_t at) { found = found || !value_after(body, at).text.empty(); });
    return found;
}

TokenAnswer scan_tokens(std::string_view body)
{
    Candidate access;
    Candidate refresh;
    each_name(body, [&](const std::string& name, std::size_t at) {
        (name == access_name ? access : refresh).take(value_after(body, at));
    });
    TokenAnswer answer;
    if (access.is_one() && refresh.is_one() && access.token != refresh.token) {
        answer.access = Secret(std::string(access.token));
        answer.refresh = Secret(std::string(refresh.token));
    }
    return answer;
}

}  // namespace shelfd::oauth
