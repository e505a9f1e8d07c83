// A cause as it lasts: when it began, and what each hook was told of it.
#pragma once

#include "control/hooks/cause.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace shelfd::control {

// What a hook was last told.
struct Told {
    Instant at;
    Severity severity = Severity::info;
};

struct Incident {
    std::string id;  // "20261125-3"
    Cause cause;     // as it was last seen
    Instant opened;
    std::optional<Instant> clear_since;  // it was not seen since then; not over yet, it may come back
    std::uint32_t returns = 0;           // how often it came back within an hour
    std::map<std::string, Told> told;    // by hook
};

enum class CallEvent { opened, repeated, escalated, recovered, test };

std::string_view to_string(CallEvent event);
std::optional<CallEvent> parse_call_event(std::string_view word);

// One hook is to be called. The incident holds what that hook may see.
struct Announcement {
    std::string hook;
    CallEvent event = CallEvent::opened;
    Incident incident;
};

}  // namespace shelfd::control
