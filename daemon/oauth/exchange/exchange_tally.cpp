#include "oauth/exchange/exchange_tally.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace shelfd::oauth {

ExchangeOutcome outcome_of(AnswerClass answer)
{
    switch (answer) {
    case AnswerClass::granted: return ExchangeOutcome::granted;
    case AnswerClass::salvaged: return ExchangeOutcome::salvaged;
    case AnswerClass::denied: return ExchangeOutcome::denied;
    case AnswerClass::configuration: return ExchangeOutcome::configuration;
    case AnswerClass::throttled: return ExchangeOutcome::throttled;
    case AnswerClass::server_error: return ExchangeOutcome::server_error;
    case AnswerClass::unclear: return ExchangeOutcome::unclear;
    }
    std::abort();
}

const char* to_string(ExchangeOutcome outcome)
{
    switch (outcome) {
    case ExchangeOutcome::granted: return "granted";
    case ExchangeOutcome::salvaged: return "salvaged";
    case ExchangeOutcome::denied: return "denied";
    case ExchangeOutcome::configuration: return "configuration";
    case ExchangeOutcome::throttled: return "throttled";
    case ExchangeOutcome::server_error: return "server_error";
    case ExchangeOutcome::unclear: return "unclear";
    case ExchangeOutcome::not_sent: return "not_sent";
    }
    std::abort();
}

void ExchangeTally::landed(Duration last_byte_to_durable)
{
    const auto bound = std::lower_bound(bounds.begin(), bounds.end(), last_byte_to_durable);
    if (bound != bounds.end()) {
        ++landed_[static_cast<std::size_t>(bound - bounds.begin())];
    }
    ++landings_;
    landing_time_ += last_byte_to_durable;
}

std::uint64_t ExchangeTally::landed_within(std::size_t i) const
{
    return std::accumulate(landed_.begin(), landed_.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::uint64_t{0});
}

}  // namespace shelfd::oauth
