// Describes an error of this machine's clock in one sentence; "" = none detected.
#pragma once

#include "base/instant.hpp"

#include <string>

namespace shelfd::oauth {

// A wrong wall clock spends no token: lifetimes are counted on the boot clock within one boot. It is reported before
// anything is sent, because after a reboot only the wall clock is available.
constexpr Duration clock_tolerance = std::chrono::minutes(5);

// Compares with the service's clock (Date, RFC 9110 section 6.6.1).
std::string clock_trouble_beside(Instant service_date, Instant now);
// Compares with the newest record of the journals, which cannot have been written in the future.
std::string clock_trouble_after(Instant newest_record, Instant now);

}  // namespace shelfd::oauth
