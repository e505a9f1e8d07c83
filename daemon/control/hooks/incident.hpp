// A cause while it lasts: when it began, and which hooks were called for it.
#pragma once

#include "control/hooks/told.hpp"
#include "control/model/cause.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::control {

struct Incident {
    std::string id;  // "20261125-3"
    Cause cause;     // as it was last seen
    Instant opened;
    std::optional<Instant> clear_since;  // absent since then, but not over yet
    std::uint32_t returns = 0;           // how often it came back within an hour
    std::map<std::string, Told> told;    // by hook
};

enum class CallEvent { opened, repeated, escalated, recovered, test, published, changed };

std::string_view to_string(CallEvent event);
std::optional<CallEvent> parse_call_event(std::string_view word);

// One hook is to be called. The incident holds what that hook may see.
struct Announcement {
    std::string hook;
    CallEvent event = CallEvent::opened;
    Incident incident;
    std::vector<Affected> news = {};  // of `changed`: what no call has told yet
};

}  // namespace shelfd::control
