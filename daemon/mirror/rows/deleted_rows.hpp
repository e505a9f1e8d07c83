// RESOURCE_deleted: the rows that went, kept on request, in the columns they had.
#pragma once

#include "base/result.hpp"
#include "mirror/records/resource.hpp"
#include "storage/sqlite.hpp"

#include <string>
#include <string_view>

namespace shelfd::mirror {

// All of it in the caller's transaction. The table is there once rows are to be kept, and stays when they are not any
// more: what it holds cannot be had from the service again.

// Of `_meta`, with the name of the resource behind it: the file has such a table, and without it is broken.
inline constexpr std::string_view deleted_rows_mark = "deleted_rows_of ";

// Makes the table, or gives it what `model` has beyond it: the resource's own table, or the staging of a pass.
Result<void> align_deleted(storage::Database& database, const std::string& resource, const std::string& model);

// Copies the rows of the resource whose state meets `condition`, before they go.
Result<void> keep_deleted(storage::Database& database, const ResourceFacts& facts, const std::string& condition,
                          std::string_view run_id, std::string_view at);

// What another file has there takes the place of what is here. Nothing happens where that file cannot be read to its
// end.
Result<void> copy_deleted(storage::Database& database, const std::string& resource, storage::Database& before);

// Rows that the pass has staged are back: they leave the table, if there is one.
Result<void> forget_returned(storage::Database& database, const ResourceFacts& facts);

}  // namespace shelfd::mirror
