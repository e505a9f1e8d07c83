// What a flow holds while it sends one request, and what announces requests that are due soon.
#pragma once

#include "budget/request_log.hpp"
#include "runtime/async/clock.hpp"

#include <cstdint>
#include <map>

namespace shelfd::budget {

class Limiter;

// The right to send one request; the request ends when the permit goes. Must not outlive its limiter.
class [[nodiscard]] Permit {
public:
    Permit(Permit&& other) noexcept;
    Permit& operator=(Permit&&) = delete;
    ~Permit();

    // The request has ended; the permit may live on, empty.
    void release();
    // Nothing was sent (Delivery::not_sent): the slot is free again at once.
    void give_back();

private:
    friend class Limiter;
    enum class Kind { counted, uncounted };
    Permit(Limiter& limiter, Kind kind, RequestLog::Slot slot, std::uint64_t sent_before, std::uint32_t used_before,
           std::uint32_t ended_before);

    Limiter* limiter_;
    Kind kind_;
    RequestLog::Slot slot_;
    std::uint64_t sent_before_;   // requests ever, when this one began
    std::uint32_t used_before_;   // of the minute, when this one began
    std::uint32_t ended_before_;  // of these
};

// Says that incremental or interactive requests are due at a time. Within the minute before (and while they are late,
// or wait), full, detail and rolling requests leave so many slots that enough are free by then. Ends with the object;
// must not outlive its limiter.
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
