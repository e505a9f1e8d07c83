// The file that a mirror was set aside as, because it was broken: what can be read of it is asked for and taken over.
#pragma once

#include "base/result.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/values/specs.hpp"
#include "mirror/values/walk.hpp"
#include "storage/sqlite.hpp"

#include <optional>
#include <span>

namespace shelfd::mirror {

// The file, if there is one that had the whole of this table for sure, with the same key and nothing that is excluded
// now. It may break wherever it is read. Errors are of our own file alone, here and below.
Result<std::optional<storage::Database>> open_former(storage::Database& database, const ResourceFacts& facts);

// The same where the first proven walk of this table is still to be compared with it.
Result<std::optional<storage::Database>> find_former(storage::Database& database, const ResourceFacts& facts,
                                                     const PassStart& start, ChangeDetail changes);

// Rows that are kept after they were deleted cannot be had from the service again: they are copied once from where
// they can be read. In the caller's transaction, after the tables were made.
Result<void> copy_deleted_rows(storage::Database& database, std::span<const ResourceSpec> resources);

}  // namespace shelfd::mirror
