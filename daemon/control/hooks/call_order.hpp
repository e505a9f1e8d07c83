// Which waiting call is the most urgent, and which one goes when too many wait; pure.
#pragma once

#include "base/instant.hpp"
#include "control/hooks/incident.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace shelfd::control {

struct PendingCall {
    std::uint64_t number = 0;  // order and identity
    std::string hook;
    std::string incident;
    CallEvent event = CallEvent::opened;
    Severity severity = Severity::ticket;
    std::string body;  // JSON, as it is delivered
    Instant made;
    std::uint32_t tries = 0;     // begun
    std::uint32_t refusals = 0;  // attempts that the receiver refused for good
    std::optional<Instant> next_try;
    std::optional<Instant> held_until = {};  // not tried before that, and no other call waits for it; not kept on disk
    std::optional<Instant> silent_until = {};  // likewise, also if it was tried: all that it is about is silenced
};

// Each kind has its own rate limit.
enum class CallKind { page, news, rounds, recovered };

// Of the same hook and incident.
bool is_same(const PendingCall& one, const PendingCall& other);
// Of a cause that lasts.
bool is_alert(CallEvent event);
bool is_untried_alert(const PendingCall& call);
// Whether it waits for something else than its turn.
bool is_held(const PendingCall& call, Instant now);
// Whether it goes when its incident is over before it is made, or made again.
bool goes_with_end(const PendingCall& call);
// Calls of that hook for that incident wait until then; empty: no longer.
void hold_silent(std::vector<PendingCall>& calls, const std::string& hook, const std::string& incident,
                 std::optional<Instant> until);
// Hook and incident of each.
std::set<std::pair<std::string, std::string>> untried_alerts(const std::vector<PendingCall>& calls);
// The lowest is the most urgent.
int urgency_of(const PendingCall& call);
CallKind kind_of(int urgency);
inline constexpr int least_urgency = 7;  // of what is over

// The call to drop first: of the mildest severity, one that a later call of its incident supersedes before others, and
// the oldest of these. Not one that is made now. `calls`: oldest first. Empty if there is none.
std::optional<std::size_t> least_important(const std::vector<PendingCall>& calls);

}  // namespace shelfd::control
