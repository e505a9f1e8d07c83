// Fast queries of what the mirror knows about the windows of a ledger: most windows are one walk, or none.
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

// What is known about a window as a whole.
struct WindowStanding {
    std::optional<Instant> walked;
    std::optional<Instant> proven;
    std::string key_set;
    std::optional<Instant> asked = {};  // when that walk began, by our clock
    bool waits = false;                 // missing rows wait for second evidence
    bool sought = false;                // as in SliceFacts

    bool proved_nothing() const { return walked && (!proven || *walked > *proven); }
};

// No I/O. `known` is in the order of places and must outlive this object.
class WindowStandings {
public:
    explicit WindowStandings(const std::vector<mirror::SliceFacts>& known);

    // A walk with other bounds counts as far as it covers the window.
    WindowStanding of(const schedule::Window& window) const;

private:
    WindowStanding of_parts(std::size_t end, const schedule::Window& window) const;

    const std::vector<mirror::SliceFacts>& known_;
    std::vector<std::int64_t> furthest_;  // the largest end of the first n slices
};

}  // namespace shelfd::sync
