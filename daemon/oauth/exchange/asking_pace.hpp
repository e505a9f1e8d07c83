// When the canary is asked again about a set that waits for its word: a login's, or an unproven one.
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
    // Another set is in force.
    void reset()
    {
        due_ = BootTime();
        asked_ = 0;
        told_.clear();
    }
    // A person asks for one more try: the pauses begin anew.
    void try_again()
    {
        make_due();
        asked_ = 0;
    }
    // After an answer that says nothing about the set.
    void wait_after(const CanaryReading& reading)
    {
        using namespace std::chrono_literals;
        const auto pause = doubled(10s, asked_, 15min);
        ++asked_;
        due_ = clock_.boot_now() + std::clamp<Duration>(reading.retry_after.value_or(pause), pause, 1h);
    }
    // True where it is to be logged: why the set waits, "" = it does not any more.
    bool is_news(const std::string& why) { return std::exchange(told_, why) != why && !why.empty(); }

private:
    const Clock& clock_;
    BootTime due_;
    std::uint32_t asked_ = 0;  // times in a row, without an answer
    std::string told_;         // why it waits, as it was logged last
};

}  // namespace shelfd::oauth
