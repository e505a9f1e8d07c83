// What one hook wants to hear of.
#pragma once

#include "control/hooks/cause.hpp"

#include <optional>
#include <string>
#include <vector>

namespace shelfd::control {

struct HookRule {
    std::string name;
    std::vector<std::string> on = {"page", "ticket"};  // words of causes and severities
    std::vector<std::string> libraries;                // none = all
    std::optional<Duration> after;                     // nothing: `usual_patience` of the cause
    Duration repeat = std::chrono::hours(4);
};

// What the rule lets through of the cause: the libraries it names, and what touches the daemon itself. Nothing where
// the hook does not want to hear of it.
std::optional<Cause> view_of(const Cause& cause, const HookRule& rule);

Duration patience_of(const HookRule& rule, CauseKind kind);

}  // namespace shelfd::control
