// Who may send the next request to a service, and when: its limit is spent, never overspent.
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

// Highest first. The token endpoint is not among them: the service does not throttle it. Waiting requests are served by
// class; within one, flows take turns.
enum class Purpose {
    token,        // the canary of an exchange that is in doubt: a token set may hang on its answer
    interactive,  // somebody waits for it; canaries, too
    incremental,
    full,
    detail,
    rolling,
};

// Requests that follow each other, those of one pass say. Who has many in line gets no more than who has one.
class Flow {
    friend class Limiter;
    std::uint64_t next_turn_ = 0;  // the earliest of its next request
};

struct LimiterOptions {
    std::optional<std::uint32_t> per_minute = 100;  // nothing: no limit, for benchmarks
    std::uint32_t in_flight = 8;                    // at once; of two and more, bulk work leaves one to the others
    std::string log_path;                           // "": in memory; a crash then forgets what was sent
};

struct LimiterStatus {
    std::optional<std::uint32_t> limit;  // a minute: as configured, as the service says, or as its refusals show
    std::uint32_t used = 0;              // of it now: in flight, or ended less than a minute ago
    std::uint32_t foreign = 0;           // of it, by the service's count, used by somebody else
    std::uint32_t in_flight = 0;
    std::uint32_t waiting = 0;
    std::uint64_t requests = 0;  // since start, repeated ones included
    std::optional<Instant> paused_until;
    int log_errno = 0;  // not 0: the log on disk is behind
};

// One for each group of libraries that the service counts together.
// A request may begin while fewer than N are in flight or ended less than a minute ago. The service counts each one at
// some moment between its begin and its end, so none of its minutes can hold more than N, whatever the delays: take the
// last request to begin of those in a minute; all the others were in flight or had just ended when it began.
// Loop only. Every acquire() must have ended when it dies.
class Limiter {
public:
    // `boot_id` is the kernel's (/proc/sys/kernel/random/boot_id): times in the log mean nothing under another one.
    // After a reboot full, detail and rolling requests wait a minute, and the others share a few slots.
    static Result<std::unique_ptr<Limiter>> open(LimiterOptions options, Clock& clock, const std::string& boot_id);
    Limiter(const Limiter&) = delete;
    Limiter& operator=(const Limiter&) = delete;
    ~Limiter();

    // Waits for its turn. Cancellable; a cancelled wait costs nothing. `flow` may be nullptr, for who sends one
    // request.
    asio::awaitable<Permit> acquire(Purpose purpose, Flow* flow = nullptr);

    // Call with every answer, while its permit lives. A 429, a 403 that tells of a limit, or a 503 with a date pauses
    // everything, after a restart, too. Where the service never says how many it grants, a 429 for a whole minute's
    // requests tells: for an hour no more are sent than went well then.
    void observe(const Permit& permit, const AnswerFacts& facts);

    // `requests` is a guess: more than ten together are not waited for.
    Announcement announce_due(BootTime at, std::uint64_t requests);

    // Takes effect at once. The path of the log cannot change.
    void reconfigure(std::optional<std::uint32_t> per_minute, std::uint32_t in_flight);

    // Somebody comes from `before`, whose requests of the last minute count here as well: all that it knows of, whoever
    // sent them. So does a pause that the service has asked for.
    void take_over(const Limiter& before);

    // The limit leaves nothing for such a request now: who asks waits for seconds, not for another answer.
    bool is_spent(Purpose purpose) const;

    LimiterStatus status() const;

    // Lets go of what it remembers of requests that count no more. Cheap; without it that happens with the next one.
    void tidy();

private:
    friend class Permit;
    friend class Announcement;
    struct Waiter;
    struct ByTurn {
        bool operator()(const Waiter* a, const Waiter* b) const;
    };

    // A minute and a little: two good clocks drift apart by some milliseconds in a minute.
    static constexpr Duration window = std::chrono::seconds(60) + std::chrono::milliseconds(20);
    static constexpr Duration max_pause = std::chrono::hours(24);
    // What was learned of a limit that is narrower than ours, here or before a restart.
    static constexpr Duration lesson_counts_for = std::chrono::hours(1);

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
    std::uint32_t slots_for(Purpose purpose) const;
    void pause_for(Duration wait);
    void record_limit(std::uint32_t most);
    void learn_from_refusal(const Permit& permit, const AnswerFacts& facts);
    void record_remaining(const Permit& permit, const AnswerFacts& facts);
    void wake_next();

    LimiterOptions options_;
    Clock& clock_;
    RequestLog log_;
    std::set<Waiter*, ByTurn> line_;
    std::uint64_t turn_ = 0;                      // of the newest that were served
    std::uint64_t arrived_ = 0;                   // in line, ever
    std::multimap<BootTime, std::uint32_t> due_;  // the requests that are expected then
    std::uint32_t in_flight_ = 0;                 // counted or not
    std::uint64_t requests_ = 0;
    std::optional<std::uint32_t> service_limit_;
    std::uint32_t went_well_ = 0;  // so many in a minute, and the next one was refused
    BootTime went_well_until_;     // it counts until then
    std::uint32_t foreign_ = 0;
    BootTime foreign_until_;
    BootTime paused_until_{};
    BootTime bulk_not_before_;
};

const char* to_string(Purpose purpose);

}  // namespace shelfd::budget
