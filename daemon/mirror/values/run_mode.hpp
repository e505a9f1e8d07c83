// What a run was about, as `_runs` calls it.
#pragma once

#include <cstdlib>
#include <string_view>

namespace shelfd::mirror {

enum class RunMode {
    full,            // a pass over the whole list
    incremental,     // one for changes
    window,          // over a window of a ledger
    between_rounds,  // over lists by parent that are new, or worth another try
    parents,         // rows that left with the parents that named their lists
    detail,          // items by their own addresses
    accept,          // rows that a person let go
};

constexpr std::string_view to_string(RunMode mode)
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
