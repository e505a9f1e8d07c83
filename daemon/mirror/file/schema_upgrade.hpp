// What files of earlier versions lack, and what they know wrongly. In the caller's transaction.
#pragma once

#include "base/result.hpp"
#include "storage/sqlite.hpp"

namespace shelfd::mirror {

// Adds the columns that later versions added to tables of the first one, where they are not there yet; empty.
Result<void> add_missing_columns(storage::Database& database);

// Earlier versions took every list that was followed by cursors to its end for proven. Such a proof over several pages
// counts no more, nor does the instant that it moved: the next pass walks the whole list.
Result<void> forget_earlier_chains(storage::Database& database);

}  // namespace shelfd::mirror
