// Decides which details are fetched next, and when: changed ones at once, the oldest ones again in time.
#pragma once

#include "base/instant.hpp"
#include "mirror/values/details.hpp"

namespace shelfd::sync {

// A pure value. Items that are ready are fetched as fast as the limit allows. Fetched ones are fetched again at such a
// pace that each has its turn once in 19/20 of `refresh_within`; those that missed it, because the daemon or the
// service was down, are fetched as fast as the limit allows.
class DetailPlan {
public:
    explicit DetailPlan(Duration refresh_within) : span_(refresh_within / 20 * 19) {}

    struct Turn {
        mirror::DetailShare share;  // at most `max_at_once` in all; none = nothing is due
        Instant look_again;         // when to look again, if nothing is due
        bool is_idle() const { return share.ready + share.again == 0; }
    };
    Turn next(const mirror::DetailFacts& facts, Instant now) const;

    // Details fetched before the returned instant are due again, whatever the pace.
    Instant again_before(Instant now) const { return now - span_; }
    // Requests a minute needed to fetch the details of `rows` rows in time.
    double needed_per_minute(std::uint64_t rows) const;

    static constexpr std::size_t max_at_once = 50;

private:
    Duration span_;
};

}  // namespace shelfd::sync
