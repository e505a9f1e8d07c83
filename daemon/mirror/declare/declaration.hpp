// Creates and changes tables as the configuration declares them.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "mirror/values/specs.hpp"
#include "storage/sqlite.hpp"

#include <optional>
#include <span>
#include <string>

namespace shelfd::mirror {

// Creates the table and its row in `_resources`, or updates the row. Sets `notice` if rows had to be removed, and
// `scrubbed` if no trace of them may remain.
Result<void> declare_resource(storage::Database& database, const ResourceSpec& spec, Instant now,
                              std::optional<std::string>& notice, bool& scrubbed);

// Marks all resources that are not in `specs` as retired; they keep their rows.
Result<void> retire_others(storage::Database& database, std::span<const ResourceSpec> specs);

}  // namespace shelfd::mirror
