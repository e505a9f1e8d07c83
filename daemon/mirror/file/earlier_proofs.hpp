// Proofs of earlier versions that do not count any more.
#pragma once

#include "base/result.hpp"
#include "storage/sqlite.hpp"

namespace shelfd::mirror {

// Earlier versions took every list that was followed by cursors to its end for proven. Such a proof over several pages
// counts no more, nor does the instant that it moved: the next pass walks the whole list. In the caller's transaction.
Result<void> forget_earlier_chains(storage::Database& database);

}  // namespace shelfd::mirror
