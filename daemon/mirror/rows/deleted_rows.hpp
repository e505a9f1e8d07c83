// RESOURCE_deleted: deleted rows, kept if configured, with the columns they had.
#pragma once

#include "base/result.hpp"
#include "mirror/records/resource.hpp"
#include "storage/sqlite.hpp"

#include <string>
#include <string_view>

namespace shelfd::mirror {

// All functions run in the caller's transaction. The table exists once rows are to be kept, and stays when the setting
// is removed: the service cannot return its rows again.

// Prefix of a key in `_meta`, followed by the resource: the file has such a table, and is broken without it.
inline constexpr std::string_view deleted_rows_mark = "deleted_rows_of ";

// Creates the table, or adds the columns that only `model` has: the resource's own table, or the staging of a pass.
Result<void> align_deleted(storage::Database& database, const std::string& resource, const std::string& model);

// Copies the rows of the resource whose state meets `condition`, before they are deleted.
Result<void> keep_deleted(storage::Database& database, const ResourceFacts& facts, const std::string& condition,
                          std::string_view run_id, std::string_view at);

// Replaces the table by that of another file. Does nothing if that file cannot be read completely.
Result<void> copy_deleted(storage::Database& database, const std::string& resource, storage::Database& before);

// Removes the rows that the pass has staged: they have reappeared. Does nothing if there is no table.
Result<void> forget_returned(storage::Database& database, const ResourceFacts& facts);

}  // namespace shelfd::mirror
