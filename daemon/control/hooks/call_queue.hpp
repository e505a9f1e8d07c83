// Calls of hooks that were not accepted yet: their order, when each is tried next, and how many a hook gets in a time.
#pragma once

#include "base/instant.hpp"
#include "control/hooks/incident.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::control {

struct PendingCall {
    std::uint64_t number = 0;  // order, and name
    std::string hook;
    std::string incident;
    CallEvent event = CallEvent::opened;
    std::string body;  // JSON, as it is delivered
    Instant made;
    std::uint32_t tries = 0;     // begun
    std::uint32_t refusals = 0;  // of these: the receiver said that it never takes this call
    std::optional<Instant> next_try;
};

// Pure value. One call of a hook at a time, in the order in which they were made.
class CallQueue {
public:
    static constexpr std::size_t max_calls = 2'000;
    static constexpr std::size_t max_bytes = 8U << 20U;
    // A hook gets so many calls at once, and then one in so long.
    static constexpr std::uint32_t burst = 10;
    static constexpr Duration between_calls = std::chrono::seconds(30);
    static constexpr std::uint32_t max_refusals = 3;
    // What nobody accepts for so long is dropped: it is no news any more.
    static constexpr Duration max_age = std::chrono::hours(24 * 7);

    CallQueue() = default;
    explicit CallQueue(std::vector<PendingCall> calls);

    // Takes the call, or finds that what waits says it already: a reminder of what was not delivered yet is dropped;
    // what is over before anybody was told is told to nobody; what gets worse meanwhile is told as it is now. Beyond
    // the bounds the call is dropped and counted.
    void add(PendingCall call);

    // The next call of that hook, if it is its time; the pointer is good until the next change.
    const PendingCall* next(const std::string& hook, Instant now);
    // When to look again at the calls of that hook; nothing where none waits.
    std::optional<Instant> next_time(const std::string& hook, Instant now) const;

    // The call is tried now: `tries` counts it.
    void begin(std::uint64_t number, Instant now);
    void accepted(std::uint64_t number);
    // It is tried again: after `told_wait` if the receiver named one, else after ten seconds, doubling up to fifteen
    // minutes. `random` in [0, 1).
    void failed(std::uint64_t number, Instant now, std::optional<Duration> told_wait, double random);
    // The receiver will never take it. True when it was dropped for that: after `max_refusals`.
    bool refused(std::uint64_t number, Instant now, double random);

    // Of hooks that are no longer configured, and what is too old. The number of calls dropped.
    std::size_t drop_stale(const std::vector<std::string>& hooks, Instant now);

    std::size_t waiting(const std::string& hook) const;
    std::uint64_t dropped() const { return dropped_; }
    const std::vector<PendingCall>& calls() const { return calls_; }

private:
    struct Allowance {
        double calls = burst;
        Instant at;
    };

    bool merge(PendingCall& call);
    PendingCall* find(std::uint64_t number);
    const PendingCall* first_of(const std::string& hook) const;
    double allowance(const std::string& hook, Instant now) const;
    void postpone(PendingCall& call, Instant now, std::optional<Duration> told_wait, double random) const;

    std::vector<PendingCall> calls_;  // oldest first
    std::map<std::string, Allowance> allowances_;
    std::uint64_t last_number_ = 0;
    std::size_t bytes_ = 0;
    std::uint64_t dropped_ = 0;
};

}  // namespace shelfd::control
