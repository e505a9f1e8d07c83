// The kind of a run, as named in `_runs`.
#pragma once

#include <cstdlib>
#include <string_view>

namespace shelfd::mirror {

enum class RunMode {
    full,            // a pass over the whole list
    incremental,     // a pass for changes only
    window,          // a pass over a window of a ledger
    between_rounds,  // lists by parent that are new or worth a retry
    parents,         // removal of rows whose parent was deleted
    detail,          // items by their own addresses
    accept,          // removal of rows that a person accepted as deleted
    keep,            // a person's decision that held rows stay
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
    case RunMode::keep: return "keep";
    }
    std::abort();
}

}  // namespace shelfd::mirror
