// Counts exchanges with the token endpoint by outcome, and measures how fast answers become durable.
#pragma once

#include "base/instant.hpp"
#include "oauth/endpoint/answer_class.hpp"

#include <array>
#include <cstdint>

namespace shelfd::oauth {

// The outcome of an exchange: the class of its answer, or not_sent.
enum class ExchangeOutcome {
    granted,
    salvaged,
    denied,
    configuration,
    throttled,
    server_error,
    unclear,
    not_sent,  // the connection failed
};
inline constexpr std::size_t exchange_outcomes = 8;
ExchangeOutcome outcome_of(AnswerClass answer);
const char* to_string(ExchangeOutcome outcome);

// Counts since the keeper was created. A value: copies are snapshots. Each exchange ends with exactly one outcome, so
// the outcomes add up to the attempts while none is in progress.
class ExchangeTally {
public:
    // Upper bounds of the histogram in µs; a last bucket without a bound takes the rest.
    static constexpr std::array<Duration, 10> bounds = {
        Duration(500),    Duration(1'000),  Duration(2'000),   Duration(5'000),     Duration(10'000),
        Duration(20'000), Duration(50'000), Duration(100'000), Duration(1'000'000), Duration(10'000'000)};

    void began() { ++attempts_; }
    void ended(ExchangeOutcome outcome) { ++outcomes_[static_cast<std::size_t>(outcome)]; }
    // Records the time from the last byte of an answer until it was durable.
    void landed(Duration last_byte_to_durable);

    std::uint64_t attempts() const { return attempts_; }
    std::uint64_t count(ExchangeOutcome outcome) const { return outcomes_[static_cast<std::size_t>(outcome)]; }
    // Number of answers that were durable within bounds[i].
    std::uint64_t landed_within(std::size_t i) const;
    std::uint64_t landings() const { return landings_; }
    Duration landing_time() const { return landing_time_; }  // sum over all answers

private:
    std::array<std::uint64_t, exchange_outcomes> outcomes_{};
    std::array<std::uint64_t, bounds.size()> landed_{};
    std::uint64_t attempts_ = 0;
    std::uint64_t landings_ = 0;
    Duration landing_time_{0};
};

}  // namespace shelfd::oauth
