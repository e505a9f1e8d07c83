// What the mirror knows of the windows of a ledger, made quick to ask: most windows are one walk, or none.
#pragma once

#include "base/instant.hpp"
#include "mirror/values/slice.hpp"
#include "schedule/windows.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::sync {

// What is known of a window as a whole.
struct WindowStanding {
    std::optional<Instant> walked;
    std::optional<Instant> proven;
    std::string key_set;
    std::optional<Instant> asked = {};  // when that walk began, by our clock
    bool waits = false;                 // rows of it wait for a second witness
    bool sought = false;                // as SliceFacts

    bool proved_nothing() const { return walked && (!proven || *walked > *proven); }
};

// No I/O. `known`, in the order of places, outlives it.
class WindowStandings {
public:
    explicit WindowStandings(const std::vector<mirror::SliceFacts>& known);

    // A walk of other bounds counts as far as it covers the window.
    WindowStanding of(const schedule::Window& window) const;

private:
    WindowStanding of_parts(std::size_t end, const schedule::Window& window) const;

    const std::vector<mirror::SliceFacts>& known_;
    std::vector<std::int64_t> furthest_;  // end of any of the first n
};

}  // namespace shelfd::sync
