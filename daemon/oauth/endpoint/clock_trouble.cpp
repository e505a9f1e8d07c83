#include "oauth/endpoint/clock_trouble.hpp"

#include <fmt/format.h>

namespace shelfd::oauth {
namespace {

constexpr const char* cure = "correct it (timedatectl set-ntp true)";

// To the nearest unit: an answer takes a moment, and 3 h less that moment are no 2 h.
std::string describe_nearest(Duration difference)
{
    using namespace std::chrono_literals;
    const Duration half = difference < 2min ? 500ms : difference < 2h ? 30s : difference < 48h ? 30min : 12h;
    return describe_duration(difference + half);
}

}  // namespace

std::string clock_trouble_beside(Instant service_date, Instant now)
{
    const auto ahead = now - service_date;
    if (std::chrono::abs(ahead) <= clock_tolerance) {
        return "";
    }
    return fmt::format("the clock of this machine is {} {} the service's: {}",
                       describe_nearest(std::chrono::abs(ahead)), ahead > Duration(0) ? "ahead of" : "behind", cure);
}

std::string clock_trouble_after(Instant newest_record, Instant now)
{
    if (newest_record - now <= clock_tolerance) {
        return "";
    }
    return fmt::format("the clock of this machine says {}, but the token journal was written at {}: {}",
                       now.to_short_text(), newest_record.to_short_text(), cure);
}

}  // namespace shelfd::oauth
