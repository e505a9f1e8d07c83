// Reads the daemon's log lines from systemd's journal, if this user may.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::ctl {

struct LogLine {
    Instant at;
    int priority = 6;  // as in syslog(3): 3 error, 4 warning, 6 information
    std::string library;
    std::string resource;
    std::string run_id;
    std::string text;
};

struct LogQuery {
    std::string program = "/usr/bin/journalctl";
    std::string library;  // "" = all lines of the unit
    std::optional<Instant> since;
    std::size_t lines = 1000;  // the newest
};

// Oldest first. Errors: not_found, if there is no journalctl; those of running it. A user who may not read the journal
// gets no lines. Blocks, up to ten seconds.
Result<std::vector<LogLine>> read_daemon_log(const LogQuery& query);

}  // namespace shelfd::ctl
