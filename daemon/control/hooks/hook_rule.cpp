#include "control/hooks/hook_rule.hpp"

#include <algorithm>

namespace shelfd::control {
namespace {

bool holds(const std::vector<std::string>& words, std::string_view word)
{
    return std::find(words.begin(), words.end(), word) != words.end();
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

Duration patience_of(const HookRule& rule, CauseKind kind)
{
    return rule.after.value_or(usual_patience(kind));
}

}  // namespace shelfd::control
