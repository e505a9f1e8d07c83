#include "sim/throttle.hpp"

#include "sim/pages.hpp"
#include "support/http_date.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::sim {

namespace {

constexpr Duration window = std::chrono::seconds(60);

std::int64_t whole_seconds(Duration wait)
{
    return std::chrono::ceil<std::chrono::seconds>(wait).count();
}

}  // namespace

std::optional<RateHeaders> rate_headers_from(std::string_view word)
{
    if (word == "none") {
        return RateHeaders::none;
    }
    if (word == "x_ratelimit") {
        return RateHeaders::x_ratelimit;
    }
    if (word == "ratelimit") {
        return RateHeaders::ratelimit;
    }
    return word == "combined" ? std::optional(RateHeaders::combined) : std::nullopt;
}

std::optional<std::int64_t> Throttle::admit(const ThrottlePolicy& policy, Instant now)
{
    while (!passed_.empty() && passed_.front() <= now - window) {
        passed_.pop_front();
    }
    if (policy.limit && passed_.size() >= *policy.limit) {
        return seconds_to_reset(now);
    }
    passed_.push_back(now);
    return std::nullopt;
}

std::int64_t Throttle::seconds_to_reset(Instant now) const
{
    return passed_.empty() ? whole_seconds(window)
                           : std::max<std::int64_t>(1, whole_seconds(passed_.front() + window - now));
}

std::vector<Header> Throttle::headers(const ThrottlePolicy& policy, Instant now) const
{
    if (!policy.limit || policy.headers == RateHeaders::none) {
        return {};
    }
    const auto remaining = *policy.limit - std::min(*policy.limit, passed_.size());
    const auto reset = seconds_to_reset(now);
    if (policy.headers == RateHeaders::combined) {
        return {{"RateLimit", fmt::format("limit={}, remaining={}, reset={}", *policy.limit, remaining, reset)}};
    }
    const std::string prefix = policy.headers == RateHeaders::x_ratelimit ? "X-RateLimit-" : "RateLimit-";
    return {{prefix + "Limit", std::to_string(*policy.limit)},
            {prefix + "Remaining", std::to_string(remaining)},
            {prefix + "Reset", std::to_string(reset)}};
}

Reply throttled(const ThrottlePolicy& policy, std::int64_t wait, Instant now)
{
    auto reply = refusal(
        429, fmt::format("Request was throttled. Expected available in {} second{}.", wait, wait == 1 ? "" : "s"));
    const bool as_date = policy.retry_after == RetryAfter::http_date;
    // A date has whole seconds only: the next one, or a client that obeys comes too early.
    const auto date = now + std::chrono::seconds(wait + 1);
    reply.headers.push_back({"Retry-After", as_date ? shelfd::http_date(date) : std::to_string(wait)});
    return reply;
}

}  // namespace shelfd::sim
