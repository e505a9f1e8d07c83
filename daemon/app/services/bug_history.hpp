// The bugs of this program in one library, and when the library starts again.
#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace shelfd::app {

struct Bug {
    std::string what;  // the task and what its exception says: "recipes: vector::_M_range_check …"
    Instant at;
    Instant since;            // of the first one in a row
    std::uint32_t times = 1;  // in a row
    Instant again_at;         // by the present wall clock
    BootTime again_boot;
};

// For the log: what happens now, and what a person should send.
std::string bug_text(const std::string& library, const Bug& bug);

// A pure value that outlives the library that fails. Bugs are in a row if the library ran for less than an hour between
// them; each doubles the wait before the restart, from 30 s up to an hour.
class BugHistory {
public:
    const Bug& add(std::string what, Instant now, BootTime boot_now);
    const std::optional<Bug>& newest() const { return newest_; }

private:
    std::optional<Bug> newest_;
};

}  // namespace shelfd::app
