// What is wrong with the clock of this machine, in one sentence each; "" = nothing that can be seen from here.
#pragma once

#include "base/instant.hpp"

#include <string>

namespace shelfd::oauth {

// A wall clock that is off spends nothing: lifetimes are counted on the boot clock wherever the boot is the same. It is
// named all the same, before anything is sent, since after a reboot it is all there is.
constexpr Duration clock_tolerance = std::chrono::minutes(5);

// Against the service's own (Date, RFC 9110 section 6.6.1).
std::string clock_trouble_beside(Instant service_date, Instant now);
// Against the newest record of the journals: it cannot have been written in the future.
std::string clock_trouble_after(Instant newest_record, Instant now);

}  // namespace shelfd::oauth
