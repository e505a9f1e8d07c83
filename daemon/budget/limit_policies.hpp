// The limits that a service names together with the window in which it counts: `"burst";q=10;w=1,
// "day";q=5000;w=86400`.
#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace shelfd::budget {

// One item of a RateLimit, RateLimit-Policy or RateLimit-Limit field, in any of the IETF drafts. What is not there, or
// not readable, is nothing.
struct LimitPolicy {
    std::string_view name = {};                  // without quotes; "" where the field gives none
    std::optional<std::int64_t> quota = {};      // q, or the number an item begins with
    std::optional<std::int64_t> window = {};     // w, in seconds, more than 0
    std::optional<std::int64_t> remaining = {};  // r
    std::optional<std::int64_t> reset = {};      // t
};

// Views into `field`.
std::vector<LimitPolicy> read_policies(std::string_view field);

// Of several, the one that says how many requests a minute may hold: whose window is a minute, or not told; else the
// narrowest by rate. Windows beyond an hour are left out: what a day allows may be used in its first hour. nullptr:
// there is none.
const LimitPolicy* governing(const std::vector<LimitPolicy>& policies);

// Its quota, for a minute: at least 1.
std::optional<std::int64_t> per_minute(const LimitPolicy& policy);

}  // namespace shelfd::budget
