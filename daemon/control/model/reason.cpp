#include "control/model/reason.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
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

// What stands before ": " in a part of a sentence, if it names these tables alone: "recipes, stock".
bool names_tables(std::string_view part, const std::vector<std::string>& tables)
{
    auto names = part.substr(0, std::min(part.find(": "), part.size()));
    if (names.size() == part.size()) {
        return false;
    }
    for (;;) {
        const auto end = std::min(names.find(", "), names.size());
        if (std::find(tables.begin(), tables.end(), names.substr(0, end)) == tables.end()) {
            return false;
        }
        if (end == names.size()) {
            return true;
        }
        names.remove_prefix(end + 2);
    }
}

// A library whose tables have reasons of different kinds has them all in its sentence: "why; stock: why".
std::set<std::string> reasons_in(const Affected& affected)
{
    std::set<std::string> reasons;
    const auto add = [&](std::string_view why) {
        const auto colon = names_tables(why, affected.tables) ? why.find(": ") + 2 : 0;
        auto reason = reason_in_kind(why.substr(colon), affected.library, affected.tables);
        if (!reason.empty()) {
            reasons.insert(std::move(reason));
        }
    };
    add(affected.why);
    const std::string_view all = affected.why;
    for (auto at = all.find("; "); at != std::string_view::npos; at = all.find("; ", at + 2)) {
        if (const auto part = all.substr(at + 2); names_tables(part, affected.tables)) {
            add(part);
        }
    }
    return reasons;
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

std::size_t other_reasons(CauseKind kind, const std::vector<const Affected*>& affected)
{
    const bool counts = kind == CauseKind::held || kind == CauseKind::limit || kind == CauseKind::snapshot;
    if (counts || affected.size() < 2) {
        return 0;
    }
    const auto told = reasons_in(*affected.front());
    std::set<std::string> others;
    for (const auto* one : affected) {
        auto reasons = reasons_in(*one);
        others.merge(reasons);
    }
    return static_cast<std::size_t>(
        std::count_if(others.begin(), others.end(), [&told](const auto& one) { return !told.contains(one); }));
}

std::string describe_other_reasons(std::size_t count)
{
    return count == 0 ? "" : fmt::format("; and {} other reason{}", count, count == 1 ? "" : "s");
}

bool is_deadline_of_table(const Affected& affected)
{
    return affected.deadline && affected.deadline == affected.late_at;
}

}  // namespace shelfd::control
