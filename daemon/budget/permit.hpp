// Permit, the right to send one request, and Announcement, of requests that are due soon.
#pragma once

#include "budget/request_log.hpp"
#include "runtime/async/clock.hpp"

#include <cstdint>
#include <map>

namespace shelfd::budget {

class Limiter;

// The right to send one request; the request counts as ended when the permit is destroyed. Must not outlive its
// limiter.
class [[nodiscard]] Permit {
public:
    Permit(Permit&& other) noexcept;
    Permit& operator=(Permit&&) = delete;
    ~Permit();

    // The request has ended; the permit is empty afterwards.
    void release();
    // Nothing was sent (Delivery::not_sent): frees the slot immediately.
    void give_back();

private:
    friend class Limiter;
    enum class Kind { counted, uncounted };
    Permit(Limiter& limiter, Kind kind, RequestLog::Slot slot, std::uint64_t sent_before, std::uint32_t used_before,
           std::uint32_t ended_before);

    Limiter* limiter_;
    Kind kind_;
    RequestLog::Slot slot_;
    std::uint64_t sent_before_;   // requests since start when this one began
    std::uint32_t used_before_;   // requests of the last minute when this one began
    std::uint32_t ended_before_;  // how many of these had ended
};

// Announces incremental or interactive requests that are due at a given time. During the minute before (and while they
// are late or waiting), full, detail and rolling requests leave enough slots for them to be free by then. Ends with the
// object; must not outlive its limiter.
class [[nodiscard]] Announcement {
public:
    Announcement(Announcement&& other) noexcept;
    Announcement& operator=(Announcement&&) = delete;
    ~Announcement();

private:
    friend class Limiter;
    using Place = std::multimap<BootTime, std::uint32_t>::iterator;
    Announcement(Limiter& limiter, Place place);

    Limiter* limiter_;
    Place place_;
};

}  // namespace shelfd::budget
