// Rows about the slices of a table; see values/slice.hpp.
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

// The functions below run in the caller's transaction.

// Replaces this slice and all slices within it. If `facts` has a proof, `run_id` is its run. Values that `facts` lacks
// (proof, digest, whole_at, changes_from) are kept.
Result<void> save_slice(storage::Database& database, const std::string& resource, const SliceFacts& facts,
                        const std::string& run_id);
// Stores the problem of a window until it is solved, also for a window that was never walked.
Result<void> record_trouble(storage::Database& database, const std::string& resource, const SliceTrouble& trouble);
// doubt_slices: rows may have appeared at this place, so its slices need another walk. has_slice: a slice there was
// walked.
Result<bool> has_slice(storage::Database& database, const std::string& resource, std::int64_t place);
Result<void> doubt_slices(storage::Database& database, const std::string& resource, std::int64_t place);
// True if a slice that was walked overlaps this one.
Result<bool> is_known(storage::Database& database, const std::string& resource, const Slice& slice);

// True if the whole of this list by parent was walked.
Result<bool> was_whole(storage::Database& database, const std::string& resource, const Slice& slice);

// The time range in which a ledger is known to be complete: up to the newest proof, without a gap.
struct Completeness {
    std::optional<Instant> from;
    std::optional<Instant> to;
};
// Pure. Places in `slices` are seconds.
// `since`: only windows with this proof number or a later one. `Sought::counts`: also those in which a row is sought
// that left another window, or that a row has entered.
enum class Sought { counts_not, counts };
Completeness complete_range(const std::vector<SliceFacts>& slices, Sought sought = Sought::counts_not,
                            std::int64_t since = 0);
// Stores it, as far as it lies after the beginning of the ledger.
Result<void> save_completeness(storage::Database& database, const std::string& resource);

// Where the ledger begins; empty for other tables.
Result<std::optional<Instant>> beginning_of(storage::Database& database, const std::string& resource);
// The ledger now begins at `beginning`, which is stored, and began at `former`. Rows before it stay as they are. Slices
// that were before `former` are walked again, because no walk kept them up to date.
Result<void> move_beginning(storage::Database& database, const std::string& resource, std::optional<Instant> former,
                            Instant beginning);

// " AND place >= … AND place < …", for conditions on the states of rows; "" without a slice.
std::string within(const std::optional<Slice>& slice);

}  // namespace shelfd::mirror
