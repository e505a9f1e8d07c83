// Keeps slots of the request limit free for the next polls of one table.
#pragma once

#include "budget/limiter.hpp"
#include "config/model/model.hpp"
#include "sync/rounds/round.hpp"
#include "sync/worker/resource_report.hpp"

#include <cstdint>
#include <optional>

namespace shelfd::sync {

// A poll is a short pass: for changes, or over a list of one or two pages. Loop only. References must outlive this
// object.
class PollSlots {
public:
    PollSlots(budget::Limiter& limiter, const config::Resource& resource, std::uint32_t page_size)
        : limiter_(limiter), resource_(resource), page_size_(page_size)
    {
    }

    // For the poll at `at` and those within a minute after it, one every `pace`.
    void reserve(BootTime at, const ResourceReport& report, Duration pace);
    void release() { announced_.reset(); }
    bool is_poll(const Round& round, const ResourceReport& report) const;

private:
    bool is_polled(const ResourceReport& report) const;

    budget::Limiter& limiter_;
    const config::Resource& resource_;
    std::uint64_t page_size_;
    std::optional<budget::Announcement> announced_;  // the next poll, or the one after that which is under way
};

}  // namespace shelfd::sync
