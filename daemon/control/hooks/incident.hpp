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
    std::map<std::string, Told> told;    // by hook; empty when it is over
    bool announced = false;              // a hook was called for it
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
    // Of `recovered`: the earliest that was told last, also of a library that is well since then.
    std::optional<Instant> deadline = {};
};

// The id of a new incident: "20261125-3", the day and a number that no other incident has.
std::string make_id(Instant now, std::uint64_t number);

// Whether both affect the same libraries and tables, as badly.
bool is_same_extent(const Cause& a, const Cause& b);

// The incident was absent, but not over yet, and is seen again.
void begin_again(Incident& incident, const Cause& cause);

// Libraries that an earlier process has left in trouble are in it since then.
void recall_begin(Cause& cause, const std::vector<Affected>& left);

// The call for its end, with the severity and the deadlines of the last call before it.
Announcement end_of(const Incident& incident, const std::string& hook, Cause view, const Told& told);

// Leaves the names of the libraries, a hundred at most, and the first one's reason: the file of alerts is written anew
// at each change, so what is over must be small in it.
void keep_names(Cause& cause);

// Of those that were over before `end`, only the latest `most` stay. `closed`: last ended last.
void keep_latest(std::vector<Incident>& closed, Instant end, std::size_t most);

// Returns true if the cause names that library.
bool rename(Cause& cause, const std::string& library, const std::string& present);

}  // namespace shelfd::control
