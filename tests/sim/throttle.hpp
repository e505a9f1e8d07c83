// So many requests a minute for each user, counted as DRF counts them, told in any spelling of the field.
#pragma once

#include "base/instant.hpp"
#include "sim/message.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

namespace shelfd::sim {

enum class RateHeaders { none, x_ratelimit, ratelimit, combined };
enum class RetryAfter { seconds, http_date };

std::optional<RateHeaders> rate_headers_from(std::string_view word);

// The same for every user. No limit: nothing is refused and no header sent.
struct ThrottlePolicy {
    std::optional<std::size_t> limit = {};
    RateHeaders headers = RateHeaders::none;
    RetryAfter retry_after = RetryAfter::seconds;
};

// One user's last minute. A refused request is not counted, as in DRF's SimpleRateThrottle.
class Throttle {
public:
    // Seconds to wait, rounded up; nothing when the request may pass.
    std::optional<std::int64_t> admit(const ThrottlePolicy& policy, Instant now);
    // The headers that belong on any answer after the last `admit`.
    std::vector<Header> headers(const ThrottlePolicy& policy, Instant now) const;

private:
    std::int64_t seconds_to_reset(Instant now) const;

    std::deque<Instant> passed_;
};

Reply throttled(const ThrottlePolicy& policy, std::int64_t wait, Instant now);

}  // namespace shelfd::sim
