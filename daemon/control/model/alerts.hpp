// What is known about alerts: hooks, open incidents, silences.
#pragma once

#include "base/instant.hpp"
#include "control/model/actor.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::control {

struct HookStatus {
    std::string name;
    std::string target;             // program, or host that is posted to
    std::vector<std::string> on;    // severities and causes; tables as "published:…"
    std::uint64_t waiting = 0;      // calls that were not accepted yet
    std::optional<Instant> called;  // the last one that was accepted, since the daemon started
    std::string trouble;            // why the last call was not accepted, "" = it was
    std::optional<Instant> next_try;
    std::optional<Instant> waiting_since = {};  // when the oldest call that waits was made
};

// A call of an incident that a hook has not accepted yet.
struct WaitingCall {
    std::string hook;
    Instant since;
};

struct IncidentStatus {
    std::string id;
    std::string cause;
    std::string severity;
    std::string title;
    std::string why;
    std::string do_this;
    std::string who;
    Instant since;
    std::optional<Instant> ended;  // empty: it is open
    std::vector<std::string> libraries;
    std::vector<std::string> called;   // hooks that have accepted a call
    std::vector<WaitingCall> waiting;  // the oldest call of each hook
    std::vector<std::string> dropped;  // hooks that have accepted none, and for which none waits any more
    std::size_t library_count = 0;     // of one that has ended, all of them: of many, `libraries` are the first
};

struct SilenceStatus {
    std::string library;
    Instant until;
};

struct AlertReport {
    std::vector<HookStatus> hooks;  // in configuration order
    std::vector<IncidentStatus> incidents;
    std::vector<IncidentStatus> ended;  // within the last week, the latest ones; last ended first
    std::vector<SilenceStatus> silences;
    std::uint64_t dropped = 0;  // calls that were never accepted: refused, too old, or too many
};

struct HookRequest {
    std::string hook;
};

struct SilenceRequest {
    std::string library;  // "" = all
    Duration length{};    // zero: the silence ends
    Actor actor = {};
};

struct SilenceReport {
    std::optional<Instant> until;  // empty = the silence has ended
    std::size_t longer = 0;        // libraries that stay silent for longer, because they were silenced for that before
};

}  // namespace shelfd::control
