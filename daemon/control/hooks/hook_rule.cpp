#include "control/hooks/hook_rule.hpp"

#include <algorithm>

namespace shelfd::control {
namespace {

bool holds(const std::vector<std::string>& words, std::string_view word)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

// A list of exclusions only begins with all tables, any other with none.
bool takes_table(const std::vector<std::string>& words, std::string_view table)
{
    bool takes =
        !words.empty() && std::all_of(words.begin(), words.end(), [](const auto& one) { return one.starts_with('-'); });
    for (const auto& word : words) {
        const bool excludes = word.starts_with('-');
        const auto name = std::string_view(word).substr(excludes ? 1 : 0);
        if (name == "*" || name == table) {
            takes = !excludes;
        }
    }
    return takes;
}

}  // namespace

std::optional<Cause> view_of(const Cause& cause, const HookRule& rule)
{
    if (!holds(rule.on, to_string(cause.kind)) && !holds(rule.on, to_string(cause.severity))) {
        return std::nullopt;
    }
    auto view = cause;
    if (!rule.libraries.empty()) {
        std::erase_if(view.affected,
                      [&](const Affected& one) { return !one.library.empty() && !holds(rule.libraries, one.library); });
    }
    return view.affected.empty() ? std::nullopt : std::optional(std::move(view));
}

Cause full_view_of(const Cause& cause, const HookRule& rule)
{
    auto all_words = rule;
    all_words.on = {std::string(to_string(cause.kind))};
    return view_of(cause, all_words).value_or(cause);
}

std::optional<LibraryRounds> view_of(const LibraryRounds& rounds, const HookRule& rule)
{
    if (!rule.libraries.empty() && !holds(rule.libraries, rounds.library)) {
        return std::nullopt;
    }
    auto view = rounds;
    std::erase_if(view.tables, [&](const TableRounds& one) { return !takes_table(rule.on_publish, one.table); });
    return view.tables.empty() ? std::nullopt : std::optional(std::move(view));
}

Duration patience_of(const HookRule& rule, CauseKind kind)
{
    return rule.after.value_or(usual_patience(kind));
}

}  // namespace shelfd::control
