// What failed in one library by a bug of this program, and when the library begins again.
#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace shelfd::app {

struct Bug {
    std::string what;  // the task and what its exception says: "recipes: vector::_M_range_check …"
    Instant at;
    Instant since;            // of the first in a row
    std::uint32_t times = 1;  // in a row
    Instant again_at;         // by the wall clock as it is now
    BootTime again_boot;
};

// For the log: what happens now, and what a person should send.
std::string bug_text(const std::string& library, const Bug& bug);

// Pure value; it outlives the library that fails. Bugs are in a row when the library did not run for an hour between
// two of them; each makes it wait twice as long as the one before, 30 s first and an hour at most.
class BugHistory {
public:
    const Bug& add(std::string what, Instant now, BootTime boot_now);
    const std::optional<Bug>& newest() const { return newest_; }

private:
    std::optional<Bug> newest_;
};

}  // namespace shelfd::app
