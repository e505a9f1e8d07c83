// A cause while it lasts: when it began, and which hooks were called for it.
#pragma once

#include "control/hooks/told.hpp"
#include "control/model/cause.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
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
    // Since then: every library that it affected, with its tables, also those that are well again.
    std::map<std::string, std::set<std::string>> named = {};
    std::size_t library_count = 0;  // of one that is over, whose cause may name fewer
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

std::vector<Incident>::iterator with_key(std::vector<Incident>& incidents, const std::string& key);

// Whether both affect the same libraries and tables, as badly.
bool is_same_extent(const Cause& a, const Cause& b);

// The incident was absent, but not over yet, and is seen again.
void begin_again(Incident& incident, const Cause& cause);

// Libraries that an earlier process has left in trouble are in it since then.
void recall_begin(Cause& cause, const std::vector<Affected>& left);

// Adds the libraries that an earlier process has left in trouble, and removes from `left` those that the cause lists.
void add_left(Cause& cause, std::vector<Affected>& left);

// The event of a call that is due; empty if nothing is to be announced. `waits`: a call of the hook was not tried yet,
// and will say all.
std::optional<CallEvent> due_event(const Told& told, const Cause& cause, Duration repeat, bool waits, Instant now);

// The call for its end, with the severity and the deadlines of the last call before it.
Announcement end_of(const Incident& incident, const std::string& hook, Cause view, const Told& told);

// Notes what the cause affects now in `named`.
void note_named(Incident& incident);

// The cause with every library and table that it has affected since it was announced, in the order of their names.
Cause widest_of(const Incident& incident);

// Without the libraries that are silenced. `silences`: by library, until when.
Cause without_silenced(Cause cause, const std::map<std::string, Instant>& silences, Instant now);

// When the first of these silences ends, if all that the cause affects is silenced.
std::optional<Instant> silenced_until(const Cause& cause, const std::map<std::string, Instant>& silences, Instant now);

// Sets the silence of a library, or ends it if `until` is past; one that lasts longer stays. Returns when it ends.
Instant set_silence(std::map<std::string, Instant>& silences, const std::string& library, Instant until, Instant now);

// What is over: leaves the names of the libraries, a hundred at most, and the first reason. The file of alerts is
// written anew at each change, so what is over must be small in it.
void make_small(Incident& incident);

// Of those that were over before `end`, only the latest `most` stay. `closed`: last ended last.
void keep_latest(std::vector<Incident>& closed, Instant end, std::size_t most);

// A library that is named has another name now. Returns true if it is named.
bool rename_named(Incident& incident, const std::string& library, const std::string& present);

// A time in the future was written before the wall clock was set back.
bool is_old(Instant at, Instant now, Duration life);

// Returns true if the cause names that library.
bool rename(Cause& cause, const std::string& library, const std::string& present);

}  // namespace shelfd::control
