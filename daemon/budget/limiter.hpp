// Decides which request to a service may be sent next, and when: the limit is used, never exceeded.
#pragma once

#include "budget/answer_facts.hpp"
#include "budget/permit.hpp"
#include "budget/request_log.hpp"
#include "runtime/async/clock.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace shelfd::budget {

namespace asio = boost::asio;

// Highest first. Requests to the token endpoint are not limited: the service does not throttle it. Waiting requests are
// served by class; within a class, flows take turns.
enum class Purpose {
    token,        // canary of an ambiguous exchange: a token set may depend on its answer
    interactive,  // a person or program waits for it; also other canaries
    incremental,
    full,
    detail,
    rolling,
};

// Whether requests of a flow wait because the limit is used up.
struct FlowWait {
    std::uint32_t requests = 0;
    Instant since;      // of the first of them, if any
    Duration ended{0};  // all such waits that have ended
    Purpose purpose = Purpose::full;
};

// Requests that belong together, such as those of one pass. Flows take turns, however many requests each has waiting.
// Copies wait together.
class Flow {
public:
    // For people who look while requests wait. Never nullptr.
    std::shared_ptr<const FlowWait> wait() const { return wait_; }

private:
    friend class Limiter;
    std::uint64_t next_turn_ = 0;  // the earliest turn of its next request
    std::shared_ptr<FlowWait> wait_ = std::make_shared<FlowWait>();
};

struct LimiterOptions {
    std::optional<std::uint32_t> per_minute = 100;  // empty = no limit, for benchmarks
    std::uint32_t in_flight = 8;                    // at a time; bulk requests may leave one or two slots free
    std::string log_path;                           // "" = in memory only; a crash then loses what was sent
    std::uint32_t leave = 0;                        // of `per_minute`, to other programs
};

// Why the limit in force is lower than the configured one.
enum class Narrowing {
    none,
    named,    // the headers of the service's answers name it
    learned,  // a refusal (429) has shown it
    shared,   // other programs use a part of it
    left,     // the configuration leaves a part of it to other programs
};

struct LimiterStatus {
    // Per minute: configured, named by the service, or learned from its refusals, less what is left to others.
    std::optional<std::uint32_t> limit;
    std::optional<std::uint32_t> configured;
    std::optional<std::uint32_t> named;  // by the service, if that is less than configured
    std::uint32_t left = 0;              // to other programs, by the configuration
    Narrowing narrowing = Narrowing::none;
    std::optional<Instant> narrowed_until;  // if that is known
    std::optional<Instant> next_slot;       // the earliest time of the next request, while the limit is used up
    std::uint32_t used = 0;                 // requests in flight, or ended less than a minute ago
    std::uint32_t foreign = 0;              // used by other programs, by the service's count
    std::uint32_t in_flight = 0;
    std::uint32_t waiting = 0;
    std::uint64_t requests = 0;  // since start, including repeated ones
    std::optional<Instant> paused_until;
    int log_errno = 0;  // not 0: the log on disk is out of date
};

// One for each group of libraries that the service counts together.
// A request may begin while fewer than N are in flight or ended less than a minute ago. The service counts each request
// at some moment between its begin and its end, so no minute of the service can hold more than N, whatever the delays:
// take the request that began last among those counted in one minute; all others were in flight or had just ended when
// it began.
// Loop only. Every acquire() must have ended before the limiter is destroyed.
class Limiter {
public:
    // `boot_id` is the kernel's (/proc/sys/kernel/random/boot_id): times in the log have no meaning under another one.
    // After a reboot full, detail and rolling requests wait a minute, and the others share a few slots.
    static Result<std::unique_ptr<Limiter>> open(LimiterOptions options, Clock& clock, const std::string& boot_id);
    Limiter(const Limiter&) = delete;
    Limiter& operator=(const Limiter&) = delete;
    ~Limiter();

    // Waits until a request may be sent. Cancellable; a cancelled wait uses no slot. `flow` may be nullptr for a single
    // request.
    asio::awaitable<Permit> acquire(Purpose purpose, Flow* flow = nullptr);

    // Call with every answer, while its permit lives. A 429 or a 403 because of a limit pauses all requests, also after
    // a restart. A 503 with a wait, which may be about its path only, pauses them for some seconds, unless another
    // request was answered since the last such 503. If the service never names its limit, a 429 for a whole minute's
    // requests teaches it: for an hour the limit is the number of requests that had succeeded in that minute.
    void observe(const Permit& permit, const AnswerFacts& facts);

    // `requests` is an estimate; at most ten slots are kept free for all announcements together.
    Announcement announce_due(BootTime at, std::uint64_t requests);

    // Takes effect immediately. The path of the log cannot change.
    void reconfigure(const LimiterOptions& options);

    // A library moves here from `before`, whose requests of the last minute count here too: all of them, whoever sent
    // them. A pause that the service has asked for also applies here.
    void take_over(const Limiter& before);

    // True if the limit leaves no room for such a request now: the caller waits for a slot, not for an answer.
    bool is_spent(Purpose purpose) const { return is_spent(purpose, clock_.boot_now()); }

    // True if `requests` such requests may begin now, one after the other; for more than half of the limit, half of it
    // must be free. Always true without a limit.
    bool has_room(Purpose purpose, std::uint64_t requests) const;
    // When time alone may change that; nothing where it waits for the end of what is in flight.
    std::optional<BootTime> next_change() const { return next_change(clock_.boot_now()); }

    LimiterStatus status() const;

    // Frees the memory of requests that no longer count. Cheap; otherwise the next request does it.
    void tidy();

private:
    friend class Permit;
    friend class Announcement;
    struct Waiter;
    struct ByTurn {
        bool operator()(const Waiter* a, const Waiter* b) const;
    };

    // A minute plus a margin: two good clocks drift apart by some milliseconds in a minute.
    static constexpr Duration window = std::chrono::seconds(60) + std::chrono::milliseconds(20);
    static constexpr Duration max_pause = std::chrono::hours(24);
    // How long a learned limit, narrower than ours, is believed; also across a restart.
    static constexpr Duration lesson_counts_for = std::chrono::hours(1);
    // If nothing has ended for so long, what is in flight may hang.
    static constexpr Duration answers_arrive = std::chrono::seconds(1);

    Limiter(LimiterOptions options, Clock& clock, RequestLog log);

    Permit take();
    std::uint64_t turn_for(Flow* flow);
    void end(const Permit& permit, bool sent);
    void assume_busy_past();
    bool may_begin(Purpose purpose, BootTime now) const;
    bool is_spent(Purpose purpose, BootTime now) const;
    bool is_bulk_held_back(BootTime now) const;
    std::uint32_t used_at(BootTime at) const;
    std::uint32_t reserve(BootTime now) const;
    std::uint32_t room_for_others(BootTime now) const;
    std::uint32_t allowed(BootTime now) const;
    std::optional<BootTime> next_change(BootTime now) const;
    std::uint32_t limit(BootTime now) const;
    std::uint32_t left_to_others(std::uint32_t told) const;
    std::uint32_t slots_for(Purpose purpose, BootTime now) const;
    void pause_for(Duration wait);
    void pause_until(BootTime until);  // not shorter than it is paused already
    void record_limit(std::uint32_t most);
    void learn_from_refusal(const Permit& permit, const AnswerFacts& facts);
    void record_remaining(const Permit& permit, const AnswerFacts& facts);
    void wake_next();

    LimiterOptions options_;
    Clock& clock_;
    RequestLog log_;
    std::set<Waiter*, ByTurn> line_;
    std::uint64_t turn_ = 0;                      // the latest turn served
    std::uint64_t arrived_ = 0;                   // waiters so far
    std::multimap<BootTime, std::uint32_t> due_;  // announced requests by time
    std::uint32_t in_flight_ = 0;                 // including uncounted ones
    std::optional<BootTime> answered_at_;         // the last end of a request that was sent
    std::uint64_t requests_ = 0;
    std::optional<std::uint32_t> service_limit_;
    std::uint32_t went_well_ = 0;  // requests in the minute before one was refused
    BootTime went_well_until_;     // until when that is the limit
    std::uint32_t foreign_ = 0;
    BootTime foreign_until_;
    BootTime paused_until_{};
    bool others_are_open_ = false;  // a request was answered since the last answer that closed one
    BootTime bulk_not_before_;
};

const char* to_string(Purpose purpose);

}  // namespace shelfd::budget
