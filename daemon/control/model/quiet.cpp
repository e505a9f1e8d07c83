#include "control/model/quiet.hpp"

#include <fmt/format.h>

namespace shelfd::control {

std::string describe_quiet(Instant until, const std::string& library)
{
    return fmt::format("waits for the end of the quiet hours at {}; to sync now: shelfctl sync {}",
                       until.to_short_text(), library);
}

}  // namespace shelfd::control
