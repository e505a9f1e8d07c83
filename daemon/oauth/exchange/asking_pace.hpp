// When the canary is asked again about a set that waits for its answer: from a login, or unproven.
#pragma once

#include "base/backoff.hpp"
#include "oauth/endpoint/canary.hpp"
#include "runtime/async/clock.hpp"

#include <algorithm>

namespace shelfd::oauth {

class AskingPace {
public:
    explicit AskingPace(const Clock& clock) : clock_(clock) {}

    BootTime due() const { return due_; }
    bool is_due() const { return due_ <= clock_.boot_now(); }
    void make_due() { due_ = clock_.boot_now(); }
    // Call when another set is in force.
    void reset()
    {
        due_ = BootTime();
        asked_ = 0;
        told_.clear();
    }
    // A person asks for another attempt: the pauses start again.
    void try_again()
    {
        make_due();
        asked_ = 0;
    }
    // Call after an answer that decides nothing about the set.
    void wait_after(const CanaryReading& reading)
    {
        using namespace std::chrono_literals;
        const auto pause = doubled(10s, asked_, 15min);
        ++asked_;
        due_ = clock_.boot_now() + std::clamp<Duration>(reading.retry_after.value_or(pause), pause, 1h);
    }
    // True if `why`, the reason why the set waits, must be logged. "" = it no longer waits.
    bool is_news(const std::string& why) { return std::exchange(told_, why) != why && !why.empty(); }

private:
    const Clock& clock_;
    BootTime due_;
    std::uint32_t asked_ = 0;  // consecutive requests without a decision
    std::string told_;         // the reason as last logged
};

}  // namespace shelfd::oauth
