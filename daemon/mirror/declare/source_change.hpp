// Detects that a table now mirrors a different list, and forgets what was proven about the old one.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "mirror/values/specs.hpp"
#include "storage/sqlite.hpp"

#include <optional>
#include <string>

namespace shelfd::mirror {

// Stores the list and filter of `spec`, in the caller's transaction, after `declare_resource`. If the list differs from
// the previous one, its rows stay until passes over the new list replace them, but nothing is proven any more, and each
// slice is walked completely; `notice` says so. If only the filter differs, only facts about the filter are forgotten.
// If details have another address, all are fetched again. What the mirror has not stored yet counts as unchanged.
Result<void> follow_source(storage::Database& database, const ResourceSpec& spec, Instant now,
                           std::optional<std::string>& notice);

}  // namespace shelfd::mirror
