// Tables come to be, and change, as the configuration declares them.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "mirror/values/specs.hpp"
#include "storage/sqlite.hpp"

#include <optional>
#include <span>
#include <string>

namespace shelfd::mirror {

// Makes the line and the empty table, or brings the line up to date; says in `notice` when rows had to go, and in
// `scrubbed` that they were to be seen nowhere any more.
Result<void> declare_resource(storage::Database& database, const ResourceSpec& spec, Instant now,
                              std::optional<std::string>& notice, bool& scrubbed);

// Every resource that `specs` does not name keeps its rows and is called retired.
Result<void> retire_others(storage::Database& database, std::span<const ResourceSpec> specs);

}  // namespace shelfd::mirror
