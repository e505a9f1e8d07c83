// The broken file that a mirror replaced: what can be read of it is used.
#pragma once

#include "base/result.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/values/specs.hpp"
#include "mirror/values/walk.hpp"
#include "storage/sqlite.hpp"

#include <optional>
#include <span>

namespace shelfd::mirror {

// Opens the file if its table was proven, and had the same key and the same exclusions. Reading it may fail anywhere.
// Errors are only those of our own file, here and below.
Result<std::optional<storage::Database>> open_former(storage::Database& database, const ResourceFacts& facts);

// The same, if the first proven walk of this table has still to be compared with it.
Result<std::optional<storage::Database>> find_former(storage::Database& database, const ResourceFacts& facts,
                                                     const PassStart& start, ChangeDetail changes);

// Copies kept deleted rows once from where they can be read, because the service cannot return them again. In the
// caller's transaction, after the tables were created.
Result<void> copy_deleted_rows(storage::Database& database, std::span<const ResourceSpec> resources);

}  // namespace shelfd::mirror
