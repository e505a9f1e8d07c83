// Which details are fetched next, and when: what changed at once, the oldest again in good time.
#pragma once

#include "base/instant.hpp"
#include "mirror/values/details.hpp"

namespace shelfd::sync {

// A pure value. Whatever is ready is fetched as fast as the budget allows. Fetched ones follow each other again at such
// a pace that each is looked at once in nineteen twentieths of `refresh_within`; those that missed their turn, because
// the daemon or the service was down, are fetched as fast as the budget allows.
class DetailPlan {
public:
    explicit DetailPlan(Duration refresh_within) : span_(refresh_within / 20 * 19) {}

    struct Turn {
        mirror::DetailShare share;  // at most `max_at_once` in all; none: nothing is due
        Instant look_again;         // in that case
        bool is_idle() const { return share.ready + share.again == 0; }
    };
    Turn next(const mirror::DetailFacts& facts, Instant now) const;

    // A detail fetched before then is due again, whatever the pace.
    Instant again_before(Instant now) const { return now - span_; }
    // Requests that so many rows cost, to look at all of them in time.
    double needed_per_minute(std::uint64_t rows) const;

    static constexpr std::size_t max_at_once = 50;

private:
    Duration span_;
};

}  // namespace shelfd::sync
