// A file that survives the process: which requests are in flight, when others ended, and until when the service asked
// us to send none.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace shelfd::budget {

// One slot of eight bytes a request: 0 = free, -1 = in flight, otherwise the boot time of its end in microseconds.
// Slots are written with pwrite: data that the kernel has accepted survives a killed process, and a full disk is an
// error to record here instead of the SIGBUS of a mapped file.
// Memory is authoritative while the process lives; a slot that could not be written matters only after a crash. Loop
// only.
class RequestLog {
public:
    enum class Past {
        known,    // this boot's entries were read, or there was no log
        unknown,  // a log of another boot, not fully readable, or without counts: anything may have been sent just now
    };

    using Slot = std::uint32_t;

    // Opens or creates the file (0600) with room for `slots`, 0 = requests are not counted; "" keeps everything in
    // memory. Requests that were in flight when their process died count as ended now: the service counted them some
    // time before.
    static Result<RequestLog> open(const std::string& path, const std::string& boot_id, BootTime now,
                                   std::uint32_t slots);
    RequestLog(RequestLog&& other) noexcept;
    RequestLog& operator=(RequestLog&&) = delete;
    ~RequestLog();

    Past past() const { return past_; }
    // Whether requests are entered. A process that finds a log without counts knows nothing of the past.
    void set_counting(bool is_counting);

    Slot begin();
    void end(Slot slot, BootTime now);
    // The request was never sent: undoes begin().
    void forget(Slot slot);
    // Drops requests that ended at `until` or before. Uses no memory if none is left.
    void expire(BootTime until);

    // Time until which the service wants no requests; far in the past if there is no pause.
    void record_pause(BootTime until);
    BootTime pause() const { return pause_; }

    // A learned limit, narrower than the configured one, and how long it is believed.
    struct Limit {
        std::uint32_t most = 0;  // per minute, up to 65535; 0 = none known
        BootTime until = {};
    };
    void record_limit(Limit limit);
    Limit limit() const { return limit_; }

    std::uint32_t in_flight() const { return in_flight_; }
    // End times, oldest first.
    const std::vector<std::pair<BootTime, Slot>>& ended() const { return ended_; }
    std::uint32_t used() const { return in_flight_ + static_cast<std::uint32_t>(ended_.size()); }

    // errno of the last write; 0 if it succeeded.
    int write_errno() const { return write_errno_; }

private:
    RequestLog() = default;
    void load(const std::string& boot_id, BootTime now, std::uint32_t slots);
    void write_header(const std::string& boot_id);
    void put(Slot slot, std::int64_t value);
    void write(std::int64_t value, off_t place);

    int fd_ = -1;
    Past past_ = Past::known;
    std::uint32_t in_flight_ = 0;
    std::vector<std::pair<BootTime, Slot>> ended_;
    std::vector<Slot> free_;  // free slots before next_slot_
    Slot next_slot_ = 0;
    BootTime pause_;
    Limit limit_;
    bool is_counting_ = true;
    int write_errno_ = 0;
};

}  // namespace shelfd::budget
