#include "runtime/async/boot_timer.hpp"

#include <ctime>

namespace shelfd {

BootClock::time_point BootClock::now()
{
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return time_point(
        std::chrono::duration_cast<Duration>(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec)));
}

}  // namespace shelfd
