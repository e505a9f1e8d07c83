// Rows that a walk of one window takes from other windows of a ledger.
#pragma once

#include "base/result.hpp"
#include "mirror/values/slice.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace shelfd::mirror {

// `taken`: the former places of the rows that a walk of `window` takes from other windows; it met `met` rows in all.
//
// A row whose date was corrected moves to another window, and so does a row whose key another row has: with keys that
// begin anew in each window, each walk takes the rows of the windows walked before it. Rows that the walk of their
// former window lacked are not among those taken: nothing replaces them.

// True if the walk takes more than half of its rows from other windows, or all rows of another one: five rows at least,
// two if the window was not proven before. Pure.
bool takes_many(const std::vector<std::int64_t>& taken, std::uint64_t met, const Slice& window,
                const std::vector<SliceFacts>& slices);

// Ends the proofs of this window and of those from which it takes rows: they are walked again. Runs in the caller's
// transaction.
Result<void> end_proofs(storage::Database& database, const std::string& resource, const Slice& window,
                        const std::vector<std::int64_t>& taken);

}  // namespace shelfd::mirror
