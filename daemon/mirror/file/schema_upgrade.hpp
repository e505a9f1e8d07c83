// Adds what files of earlier versions lack, and corrects what they got wrong. In the caller's transaction.
#pragma once

#include "base/result.hpp"
#include "storage/sqlite.hpp"

namespace shelfd::mirror {

// Adds missing columns of later versions to tables of the first one, with NULL values.
Result<void> add_missing_columns(storage::Database& database);

// Earlier versions treated each list that was followed by cursors to its end as proven. Removes such proofs over
// several pages and the times they set: the next pass walks the whole list.
Result<void> forget_earlier_chains(storage::Database& database);

}  // namespace shelfd::mirror
