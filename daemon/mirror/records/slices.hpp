// Slices of a table: windows of a ledger, lists by parent. Each has its proof, its deletions and its freshness.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "mirror/values/slice.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::mirror {

// In the order of their places.
Result<std::vector<SliceFacts>> load_slices(storage::Database& database, const std::string& resource);

// The rest in the caller's transaction.

// Replaces what is known of this slice, and of all that lie within it. `run_id` proved it if `facts` says so. Digest
// and look at the whole stay where `facts` has none.
Result<void> save_slice(storage::Database& database, const std::string& resource, const SliceFacts& facts,
                        const std::string& run_id);
// What is wrong with a window, until it goes well; one that was never walked is noted as well.
Result<void> record_trouble(storage::Database& database, const std::string& resource, const SliceTrouble& trouble);
// Rows turned up at this place, or may have: the slices it lies in want another walk.
Result<bool> has_slice(storage::Database& database, const std::string& resource, std::int64_t place);
Result<void> doubt_slices(storage::Database& database, const std::string& resource, std::int64_t place);
// Whether any slice that was walked has a place in common with this one.
Result<bool> is_known(storage::Database& database, const std::string& resource, const Slice& slice);

// Whether the whole of this list by parent was walked.
Result<bool> was_whole(storage::Database& database, const std::string& resource, const Slice& slice);

// From when to when a ledger is known to be complete, up to the newest proof, without a gap.
struct Completeness {
    std::optional<Instant> from;
    std::optional<Instant> to;
};
// Pure. `slices` in the order of their places, which are seconds.
Completeness complete_range(const std::vector<SliceFacts>& slices);
Result<void> save_completeness(storage::Database& database, const std::string& resource);

// " AND place >= … AND place < …", for conditions on the states of rows; "" without a slice.
std::string within(const std::optional<Slice>& slice);

}  // namespace shelfd::mirror
