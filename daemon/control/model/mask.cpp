#include "control/model/mask.hpp"

#include "base/instant.hpp"
#include "base/words/digits.hpp"

#include <algorithm>

namespace shelfd::control {
namespace {

// True for characters of names, numbers and instants.
bool is_part(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == ':' || c == '.';
}

// Punctuation that ends a clause belongs to the sentence.
std::string_view without_end(std::string_view word)
{
    while (!word.empty() && (word.back() == ':' || word.back() == '.')) {
        word.remove_suffix(1);
    }
    return word;
}

bool is_instant(std::string_view word)
{
    return word.size() >= 10 && is_digit(word[0]) && Instant::from_rfc3339(std::string(word)).has_value();
}

}  // namespace

std::string mask(std::string_view text, std::string_view library, const std::vector<std::string>& tables)
{
    std::string masked;
    while (!text.empty()) {
        const auto length =
            static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_part) - text.begin());
        const auto word = without_end(text.substr(0, length));
        const bool is_name = !word.empty() && (word == library || is_instant(word) ||
                                               std::find(tables.begin(), tables.end(), word) != tables.end());
        masked += is_name ? std::string_view("*") : word;
        const auto rest = text.substr(word.size(), std::max<std::size_t>(length - word.size(), length == 0 ? 1 : 0));
        masked += rest;
        text.remove_prefix(word.size() + rest.size());
    }
    return masked;
}

}  // namespace shelfd::control
