// What the schedules of a library need in requests, to be compared with a limit by those who share it; pure.
#pragma once

#include "config/model/model.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace shelfd::app {

// What is known of a table.
struct TableDemand {
    std::uint64_t rows = 0;
    std::optional<std::uint64_t> full_requests = {};  // of its last pass, if that was a full one
    bool is_stopped = false;                          // its passes send no more than one request until somebody acts
};

// Requests a minute, canaries included as `shelfctl plan` counts them. A list, window or parent whose pages were not
// counted counts as one page, and so does each list of a full pass beside incremental ones. `tables`: by name, of those
// that were read.
double requests_needed(const config::Library& library, const std::map<std::string, TableDemand>& tables,
                       bool is_personal);

}  // namespace shelfd::app
