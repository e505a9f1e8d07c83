#include "base/words/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace shelfd {
namespace {

bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
}

std::string lower(std::string_view text)
{
    std::string folded(text);
    for (auto& c : folded) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return folded;
}

// "europe/new_york": europe, new, york.
std::vector<std::string> words_of(std::string_view folded)
{
    std::vector<std::string> words(1);
    for (const char c : folded) {
        if (is_letter(c)) {
            words.back() += c;
        } else if (!words.back().empty()) {
            words.emplace_back();
        }
    }
    if (words.back().empty()) {
        words.pop_back();
    }
    return words;
}

bool holds_all(const std::vector<std::string>& words, const std::vector<std::string>& wanted)
{
    return !wanted.empty() && std::all_of(wanted.begin(), wanted.end(), [&](const auto& word) {
        return std::find(words.begin(), words.end(), word) != words.end();
    });
}

// At most a third of the letters differ.
bool looks_like(std::string_view a, std::string_view b)
{
    return 3 * edit_distance(a, b) <= std::max(a.size(), b.size()) + 1;
}

// How two names are alike, nearest first.
enum class Kinship { same, same_words, one_continues, similar_letters, similar_word, none };

struct Nearness {
    Kinship kinship;
    std::size_t distance;  // words that only one of them has, for names of the same words; otherwise letters

    bool operator<(const Nearness& other) const
    {
        return std::pair(kinship, distance) < std::pair(other.kinship, other.distance);
    }
};

Kinship kinship_of(const std::string& name, const std::string& known)
{
    constexpr std::size_t shortest = 3;  // fewer letters begin too many words
    const auto words = words_of(name);
    const auto known_words = words_of(known);
    if (name == known) {
        return Kinship::same;
    }
    if (holds_all(known_words, words) || holds_all(words, known_words)) {
        return Kinship::same_words;
    }
    if (std::min(name.size(), known.size()) >= shortest && (known.starts_with(name) || name.starts_with(known))) {
        return Kinship::one_continues;
    }
    if (looks_like(name, known)) {
        return Kinship::similar_letters;
    }
    const auto is_alike = [&](const auto& word) {
        return word.size() > shortest && words.size() == 1 && looks_like(words.front(), word);
    };
    return std::any_of(known_words.begin(), known_words.end(), is_alike) ? Kinship::similar_word : Kinship::none;
}

Nearness nearness_of(std::string_view name, std::string_view known)
{
    const auto folded = lower(name);
    const auto folded_known = lower(known);
    const auto kinship = kinship_of(folded, folded_known);
    if (kinship != Kinship::same_words) {
        return {kinship, edit_distance(folded, folded_known)};
    }
    const auto words = words_of(folded).size();
    const auto known_words = words_of(folded_known).size();
    return {kinship, std::max(words, known_words) - std::min(words, known_words)};
}

struct Separators {
    std::string_view between;
    std::string_view last;
};

std::string list(std::span<const std::string> parts, std::size_t most, std::size_t unlisted, Separators separators)
{
    const auto shown = parts.first(std::min(most, parts.size()));
    auto text = fmt::format("{}", fmt::join(shown, separators.between));
    const auto rest = parts.size() - shown.size() + unlisted;
    if (rest == 0) {
        return text;
    }
    return fmt::format("{}{}{} more", text, text.empty() ? "" : separators.last, rest);
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b)
{
    // Three rows of the table are enough: a swap refers to the row before the last.
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        last[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t differs = a[i - 1] == b[j - 1] ? 0 : 1;
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + differs});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        before.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

std::string_view nearest(std::string_view name, std::span<const std::string_view> names)
{
    const auto is_nearer = [name](auto a, auto b) { return nearness_of(name, a) < nearness_of(name, b); };
    const auto found = std::min_element(names.begin(), names.end(), is_nearer);
    return found == names.end() ? std::string_view() : *found;
}

std::string_view nearest_alike(std::string_view name, std::span<const std::string_view> names)
{
    const auto best = nearest(name, names);
    return nearness_of(name, best).kinship == Kinship::none ? std::string_view() : best;
}

std::string list_nearest_first(std::string_view name, std::vector<std::string> names)
{
    constexpr std::size_t shown = 12;
    if (names.empty()) {
        return "none";
    }
    // Names that are not alike keep their order.
    const auto rank = [name](const std::string& known) {
        const auto nearness = nearness_of(name, known);
        return nearness.kinship == Kinship::none ? Nearness{Kinship::none, 0} : nearness;
    };
    std::stable_sort(names.begin(), names.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    return list_some(names, shown);
}

std::string list_some(std::span<const std::string> names, std::size_t most, std::size_t unlisted)
{
    return list(names, most, unlisted, {", ", " and "});
}

std::string list_clauses(std::span<const std::string> clauses, std::size_t most, std::size_t unlisted)
{
    return list(clauses, most, unlisted, {"; ", "; and "});
}

}  // namespace shelfd
