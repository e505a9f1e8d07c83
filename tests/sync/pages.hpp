// Pages as a walk sees them.
#pragma once

#include "sync/pass/pass_machine.hpp"

#include <utility>

namespace shelfd::sync {

inline PageSeen page(std::uint64_t count, std::uint64_t items, std::optional<std::string> next)
{
    PageSeen seen;
    seen.count = count;
    seen.items = seen.new_keys = items;
    seen.next_query = std::move(next);
    return seen;
}

}  // namespace shelfd::sync
