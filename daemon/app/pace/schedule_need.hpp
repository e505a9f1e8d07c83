// What the schedules of a library cost in requests, compared with a limit by who shares it; pure.
#pragma once

#include "config/model/model.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace shelfd::app {

// Requests a minute, at least: canaries included, and a list, window or parent of which nothing is known yet counts as
// one page. `rows`: by table, of those that were read.
double requests_needed(const config::Library& library, const std::map<std::string, std::uint64_t>& rows);

}  // namespace shelfd::app
