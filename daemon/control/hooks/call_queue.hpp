// Calls of hooks that were not accepted yet: their order, the time of the next attempt, and the rate limit of a hook.
#pragma once

#include "base/instant.hpp"
#include "control/hooks/call_order.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace shelfd::control {

// Pure value. One call of a hook at a time: pages first, then tickets, infos, published rounds, and what is over; among
// equals the oldest. The calls of one incident keep their order, and are as urgent as the most urgent of them, so
// nothing is over before it was opened.
class CallQueue {
public:
    static constexpr std::size_t max_calls = 2'000;
    static constexpr std::size_t max_bytes = 8U << 20U;
    // Rate limit of a hook: so many calls at once, then one per interval; for pages, for other causes, and for what is
    // over, each by itself. Calls for published rounds are exempt: they join while they wait.
    static constexpr std::uint32_t burst = 10;
    static constexpr Duration between_calls = std::chrono::seconds(30);
    static constexpr std::uint32_t max_refusals = 3;
    // A call that was not accepted for so long is dropped: it is out of date.
    static constexpr Duration max_age = std::chrono::hours(24 * 7);

    CallQueue() = default;
    explicit CallQueue(std::vector<PendingCall> calls);

    // Adds the call, or merges it with a waiting one: a reminder of an undelivered call is dropped; an undelivered
    // incident that is over is not announced at all; an untried call that got worse, or has news, gets the new body;
    // rounds of a library join. Before a page, earlier calls of its incident are tried again at once. Beyond the bounds
    // calls are dropped and counted, the least important first (`least_important`); `take_crowded_out` names them.
    void add(PendingCall call);
    // Another body for a call that was not tried yet.
    void render(std::uint64_t number, std::string body, Severity severity);
    // A call that has nothing to say any more.
    void withdraw(std::uint64_t number);

    // The next call of that hook, if it is due; the pointer is valid until the next change. Notices a wall clock that
    // was set back.
    const PendingCall* next(const std::string& hook, Instant now);
    // The calls that are made as one with `first`, which is due: itself, and where the ends of several incidents would
    // wait for the rate limit, or were tried as one before, the ends that are due. Not those that the receiver refused.
    std::vector<PendingCall> together_with(const PendingCall& first, Instant now) const;
    // When the next call of that hook is due; empty if none waits.
    std::optional<Instant> next_time(const std::string& hook, Instant now) const;

    // The call is tried now: `tries` counts it. Several are tried as one, which the rate limit counts once.
    void begin(std::uint64_t number, Instant now);
    void begin(const std::vector<PendingCall>& calls, Instant now);
    void accepted(std::uint64_t number) { withdraw(number); }
    // It is repeated: after `told_wait` if the receiver named a wait, else after ten seconds, doubling up to fifteen
    // minutes. `random` in [0, 1).
    void failed(std::uint64_t number, Instant now, std::optional<Duration> told_wait, double random);
    // The receiver refused it for good. Returns true if it was dropped because of `max_refusals` refusals.
    bool refused(std::uint64_t number, Instant now, double random);

    // Calls for causes that were not tried yet, of that incident or of all (""), wait until then; empty: no longer.
    // Those of other incidents go meanwhile.
    void hold_untried(std::optional<Instant> until, const std::string& incident = "");
    // Calls for causes, tried or not, of that hook and incident wait for the end of a silence; empty: no longer. Those
    // that wait when their incident is over are dropped; its end is told if one of them may have arrived.
    void hold_silent(const std::string& hook, const std::string& incident, std::optional<Instant> until)
    {
        control::hold_silent(calls_, hook, incident, until);
    }
    // The hook works again: calls that were tried do not wait for their next attempt any more.
    void try_now(const std::string& hook, Instant now);

    // Drops calls of hooks that are no longer configured, and calls that are too old. Returns their number.
    std::size_t drop_stale(const std::vector<std::string>& hooks, Instant now);

    std::size_t waiting(const std::string& hook) const;
    // Hook and incident of each call for a cause that lasts and that was not tried yet.
    std::set<std::pair<std::string, std::string>> untried() const { return untried_alerts(calls_); }
    // The oldest call that waits for the hook, of one incident or of all; valid until the next change.
    const PendingCall* oldest(const std::string& hook, const std::optional<std::string>& incident = std::nullopt) const;
    // The calls for published rounds that wait for the hook, oldest first; valid until the next change.
    std::vector<const PendingCall*> waiting_rounds(const std::string& hook) const;
    std::uint64_t dropped() const { return dropped_; }
    // The calls that were dropped for lack of room since the last call of this function, without their bodies.
    std::vector<PendingCall> take_crowded_out() { return std::exchange(crowded_out_, {}); }
    const std::vector<PendingCall>& calls() const { return calls_; }

private:
    struct Allowance {
        double calls = burst;
        Instant at;
    };
    // Each kind has its own allowance, and its own next call.
    using Kind = CallKind;
    static constexpr std::size_t kinds = 4;
    using Heads = std::array<const PendingCall*, kinds>;

    // An allowance of a time to come would never be refilled.
    void notice_clock(Instant now)
    {
        for (auto& [whose, allowance] : allowances_) {
            allowance.at = std::min(allowance.at, now);
        }
    }
    void make_room();
    bool merge(PendingCall& call);
    bool merge_end(const PendingCall& end);
    PendingCall* find(std::uint64_t number);
    Heads heads(const std::string& hook, Instant now) const;
    Kind effective_kind(const PendingCall& call) const;
    static Instant wait_of(const PendingCall& call, Instant now);
    Instant due_at(const PendingCall& call, Kind kind, Instant now) const;
    double allowance(const std::string& hook, Kind kind, Instant now) const;
    void postpone(PendingCall& call, Instant now, std::optional<Duration> told_wait, double random) const;

    std::vector<PendingCall> calls_;  // oldest first
    std::vector<PendingCall> crowded_out_;
    std::map<std::pair<std::string, Kind>, Allowance> allowances_;
    std::uint64_t last_number_ = 0;
    std::size_t bytes_ = 0;
    std::uint64_t dropped_ = 0;
};

}  // namespace shelfd::control
