// What has happened to a library, as far as its mirror records it.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "storage/sqlite.hpp"

#include <string>
#include <vector>

namespace shelfd::ctl {

struct Event {
    Instant at;
    std::string kind;      // "pass", "held", "drift", "repair", "state", "table", "token", "incident", "daemon", "log"
    std::string resource;  // "" = of the library
    std::string text;      // one line for people
    std::string run_id;    // of a pass; "" = none
    bool quiet = false;    // a pass that changed nothing
    std::string asked_by = {};  // the users who asked for the pass; "" = the schedule

    friend bool operator==(const Event&, const Event&) = default;
};

// Events after `since`, oldest first. Names of tables, counts and messages; no values of rows.
Result<std::vector<Event>> read_history(storage::Database& mirror, Instant since);

// By time; events of one instant keep their order.
void sort_by_time(std::vector<Event>& events);

}  // namespace shelfd::ctl
