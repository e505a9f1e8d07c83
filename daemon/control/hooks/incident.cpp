#include "control/hooks/incident.hpp"

#include <algorithm>
#include <array>

namespace shelfd::control {
namespace {

constexpr std::array<std::string_view, 7> events = {"opened", "repeated",  "escalated", "recovered",
                                                    "test",   "published", "changed"};

}  // namespace

std::string_view to_string(CallEvent event)
{
    return events[static_cast<std::size_t>(event)];
}

std::optional<CallEvent> parse_call_event(std::string_view word)
{
    const auto found = std::find(events.begin(), events.end(), word);
    return found == events.end() ? std::nullopt : std::optional(static_cast<CallEvent>(found - events.begin()));
}

}  // namespace shelfd::control
