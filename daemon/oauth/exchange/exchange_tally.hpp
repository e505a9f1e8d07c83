// Counts exchanges with the token endpoint by what became of them, and times their answers on the way to the disk.
#pragma once

#include "base/instant.hpp"
#include "oauth/endpoint/answer_class.hpp"

#include <array>
#include <cstdint>

namespace shelfd::oauth {

// What one exchange came to: the class of its answer, or that none was asked for.
enum class ExchangeOutcome {
    granted,
    salvaged,
    denied,
    configuration,
    throttled,
    server_error,
    unclear,
    not_sent,  // the connection could not be made
};
inline constexpr std::size_t exchange_outcomes = 8;
ExchangeOutcome outcome_of(AnswerClass answer);
const char* to_string(ExchangeOutcome outcome);

// Since the keeper was made. A value: copies are snapshots. Each exchange begun ends in exactly one outcome, so the
// outcomes add up to the attempts whenever none is under way.
class ExchangeTally {
public:
    // Upper bounds of the classes of durations; a last class without a bound takes the rest.
    static constexpr std::array<Duration, 10> bounds = {
        Duration(500),    Duration(1'000),  Duration(2'000),   Duration(5'000),     Duration(10'000),
        Duration(20'000), Duration(50'000), Duration(100'000), Duration(1'000'000), Duration(10'000'000)};

    void began() { ++attempts_; }
    void ended(ExchangeOutcome outcome) { ++outcomes_[static_cast<std::size_t>(outcome)]; }
    // The answer's bytes were durable that long after the last of them had come.
    void landed(Duration last_byte_to_durable);

    std::uint64_t attempts() const { return attempts_; }
    std::uint64_t count(ExchangeOutcome outcome) const { return outcomes_[static_cast<std::size_t>(outcome)]; }
    // How many answers were durable within bounds[i], the shorter ones included.
    std::uint64_t landed_within(std::size_t i) const;
    std::uint64_t landings() const { return landings_; }
    Duration landing_time() const { return landing_time_; }  // all of them together

private:
    std::array<std::uint64_t, exchange_outcomes> outcomes_{};
    std::array<std::uint64_t, bounds.size()> landed_{};
    std::uint64_t attempts_ = 0;
    std::uint64_t landings_ = 0;
    Duration landing_time_{0};
};

}  // namespace shelfd::oauth
