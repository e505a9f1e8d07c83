#include "control/causes/reason.hpp"

#include <algorithm>
#include <utility>

namespace shelfd::control {
namespace {

constexpr std::size_t max_words = 120;  // bytes

// Without what stands in quotes, backquotes, brackets or parentheses.
std::string without_quotes(std::string_view text)
{
    std::string plain;
    char closing = '\0';
    for (const char c : text) {
        if (closing != '\0') {
            closing = c == closing ? '\0' : closing;
            continue;
        }
        switch (c) {
        case '"':
        case '`': closing = c; break;
        case '(': closing = ')'; break;
        case '[': closing = ']'; break;
        case '{': closing = '}'; break;
        default: plain += c;
        }
    }
    return plain;
}

bool is_word(std::string_view word)
{
    return !word.empty() && std::all_of(word.begin(), word.end(),
                                        [](char c) { return (c >= 'a' && c <= 'z') || c == '-' || c == '\''; });
}

// The first clause; the name of a table before it belongs to none.
std::string_view first_clause(std::string_view why, const std::vector<std::string>& tables)
{
    for (const auto& table : tables) {
        if (why.starts_with(table + ": ")) {
            why.remove_prefix(table.size() + 2);
            break;
        }
    }
    return why.substr(0, std::min(why.find(": "), why.find("; ")));
}

}  // namespace

std::string words_in_common(std::string_view text, std::string_view library, const std::vector<std::string>& tables)
{
    const auto plain = without_quotes(text);
    std::string words;
    std::string_view rest = plain;
    while (!rest.empty() && words.size() < max_words) {
        const auto end = std::min(rest.find(' '), rest.size());
        auto word = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        while (!word.empty() && std::string_view(",.;:").find(word.back()) != std::string_view::npos) {
            word.remove_suffix(1);
        }
        const bool is_name = word == library || std::find(tables.begin(), tables.end(), word) != tables.end();
        // "1 row", "2 rows".
        const bool is_plural = word.size() > 3 && word.back() == 's';
        word.remove_suffix(is_plural && !is_name ? 1 : 0);
        if (is_word(word) && !is_name) {
            words += words.empty() ? "" : " ";
            words += word;
        }
    }
    return words;
}

std::string reason_in_kind(std::string_view why, std::string_view library, const std::vector<std::string>& tables)
{
    return words_in_common(first_clause(why, tables), library, tables);
}

}  // namespace shelfd::control
