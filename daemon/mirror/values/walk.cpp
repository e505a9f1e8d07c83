#include "mirror/values/walk.hpp"

#include <cstdlib>

namespace shelfd::mirror {

std::string_view to_string(RunMode mode)
{
    switch (mode) {
    case RunMode::full: return "full";
    case RunMode::incremental: return "incremental";
    case RunMode::window: return "window";
    case RunMode::between_rounds: return "between rounds";
    case RunMode::parents: return "parents";
    case RunMode::detail: return "detail";
    case RunMode::accept: return "accept";
    }
    std::abort();
}

}  // namespace shelfd::mirror
