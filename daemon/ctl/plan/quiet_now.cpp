#include "ctl/plan/quiet_now.hpp"

#include "control/model/quiet.hpp"
#include "schedule/quiet_hours.hpp"

namespace shelfd::ctl {

std::string quiet_addition(const config::Library& library, Instant now)
{
    const auto quiet = schedule::QuietHours::load(library.service.quiet, library.service.timezone);
    const auto until = quiet ? quiet->end_after(now) : now;
    return until == now ? "" : "; it " + control::describe_quiet(until, library.name);
}

}  // namespace shelfd::ctl
