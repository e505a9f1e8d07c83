// The limits of a service, each with the window in which it counts: `"burst";q=10;w=1, "day";q=5000;w=86400`.
#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace shelfd::budget {

// One item of a RateLimit, RateLimit-Policy or RateLimit-Limit field, in any of the IETF drafts. Members that are
// absent or unreadable are empty.
struct LimitPolicy {
    std::string_view name = {};                  // without quotes; "" if the field gives none
    std::optional<std::int64_t> quota = {};      // q, or the number at the beginning
    std::optional<std::int64_t> window = {};     // w, in seconds, more than 0
    std::optional<std::int64_t> remaining = {};  // r
    std::optional<std::int64_t> reset = {};      // t
};

// The names are views into `field`.
std::vector<LimitPolicy> read_policies(std::string_view field);

// Returns the policy that limits a minute: one whose window is a minute or not given; otherwise the one with the lowest
// rate. Ignores windows of more than an hour: a day's quota may be used up in its first hour. nullptr if there is none.
const LimitPolicy* governing(const std::vector<LimitPolicy>& policies);

// The quota converted to a minute: at least 1.
std::optional<std::int64_t> per_minute(const LimitPolicy& policy);

// False for the statuses by which services tell of a limit on all requests: 429 and 403, also 420 and 430. A wait that
// comes with any other refusal may be about one path.
bool status_concerns_one_path(int status);

}  // namespace shelfd::budget
