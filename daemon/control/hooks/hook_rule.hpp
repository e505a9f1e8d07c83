// Which causes and rounds call a hook.
#pragma once

#include "control/hooks/round_watch.hpp"
#include "control/model/cause.hpp"

#include <optional>
#include <string>
#include <vector>

namespace shelfd::control {

struct HookRule {
    std::string name;
    std::vector<std::string> on = {"page", "ticket"};  // words of causes and severities
    std::vector<std::string> libraries;                // none = all
    std::optional<Duration> after;                     // empty: `usual_patience` of the cause
    Duration repeat = std::chrono::hours(4);
    std::vector<std::string> on_publish = {};  // tables, "*" and "-NAME"; none: rounds do not call it
};

// The part of the cause that the rule selects: the libraries it names, and trouble of the daemon itself. Empty if it
// selects nothing.
std::optional<Cause> view_of(const Cause& cause, const HookRule& rule);

// The same for a cause that the hook was called for, even if it has become milder meanwhile.
Cause full_view_of(const Cause& cause, const HookRule& rule);

// Likewise the part of published rounds: the tables it names.
std::optional<LibraryRounds> view_of(const LibraryRounds& rounds, const HookRule& rule);

Duration patience_of(const HookRule& rule, CauseKind kind);

}  // namespace shelfd::control
