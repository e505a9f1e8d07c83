// Says which calls were dropped because too many were waiting: in the log, and for a day in the status.
#pragma once

#include "control/hooks/call_order.hpp"
#include "control/model/status.hpp"
#include "runtime/log/log.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace shelfd::app {

// Loop only.
class DropNotice {
public:
    void add(const std::vector<control::PendingCall>& calls, Instant now, const Log& log);
    // Appends it to `notices`, if calls were dropped within the last day.
    void report(Instant now, std::vector<control::Notice>& notices) const;

private:
    std::uint64_t count_ = 0;  // since `since_`
    std::uint64_t pages_ = 0;
    std::set<std::string> hooks_;
    std::optional<Instant> since_;
    Instant last_;
};

}  // namespace shelfd::app
