// Which requests are in flight, when the others ended, and how long the service wants silence, in a file that survives
// the process.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace shelfd::budget {

// One slot of eight bytes a request: 0 = free, -1 = in flight, else the boot time of its end in microseconds. Slots are
// written with pwrite: what the kernel has taken outlives a killed process, and a full disk is an error to note here
// instead of the SIGBUS that a mapping of the file would give.
// Memory is the truth while the process lives; a slot that could not be written matters only after a crash. Loop only.
class RequestLog {
public:
    enum class Past {
        known,    // this boot's entries were read, or there never was a log here
        unknown,  // a log of another boot, or one not wholly readable: anything may have been sent just now
    };

    using Slot = std::uint32_t;

    // Opens or creates the file (0600) with room for `slots`; "" keeps everything in memory. Requests that were in
    // flight when their process died count as ended now: nobody knows when the service counted them, but it was before
    // this.
    static Result<RequestLog> open(const std::string& path, const std::string& boot_id, BootTime now,
                                   std::uint32_t slots);
    RequestLog(RequestLog&& other) noexcept;
    RequestLog& operator=(RequestLog&&) = delete;
    ~RequestLog();

    Past past() const { return past_; }

    Slot begin();
    void end(Slot slot, BootTime now);
    // The request never left: as if begin() had not been called.
    void forget(Slot slot);
    // Drops what ended at `until` or before. Where nothing is left, no memory is used.
    void expire(BootTime until);

    // Until when the service wants silence; long past when it wants none.
    void record_pause(BootTime until);
    BootTime pause() const { return pause_; }

    // A limit that is narrower than the configured one, and until when that is believed.
    struct Limit {
        std::uint32_t most = 0;  // a minute, up to 65535; 0 = none is known
        BootTime until = {};
    };
    void record_limit(Limit limit);
    Limit limit() const { return limit_; }

    std::uint32_t in_flight() const { return in_flight_; }
    // End times, oldest first.
    const std::vector<std::pair<BootTime, Slot>>& ended() const { return ended_; }
    std::uint32_t used() const { return in_flight_ + static_cast<std::uint32_t>(ended_.size()); }

    // errno of the last write that failed; 0 when the last one worked.
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
    std::vector<Slot> free_;  // of those before next_slot_
    Slot next_slot_ = 0;
    BootTime pause_;
    Limit limit_;
    int write_errno_ = 0;
};

}  // namespace shelfd::budget
