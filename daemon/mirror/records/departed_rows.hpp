// Rows that left their window of a ledger: they stay until it is known that they are in no other window.
#pragma once

#include "base/result.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/records/slices.hpp"
#include "mirror/values/slice.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::mirror {

// Each proof of a window has a number, one higher than all before it. A row that a second proven walk of its window
// lacks has left it; its state gets the number of that proof. It was outside that window when the walk began, so a
// proof of another window with the same or a higher number would have met it there. If all windows have such a proof,
// and the time after them too (by one walk up to behind_all), the row is deleted.
//
// Values of `missed` in the states of such rows, in addition to 0 and 1:
inline constexpr std::int64_t missed_and_denied = 2;  // its own address says that it is gone
inline constexpr std::int64_t missed_since = 2;       // higher values: it left with proof `missed` - 2
// The same for a row whose own address places it in another window: it left with proof `missed` - such a value. If that
// window was walked before, it is walked again; nothing else is walked for the row.
inline constexpr std::int64_t missed_but_elsewhere = 1LL << 60;  // in a window not walked yet
inline constexpr std::int64_t missed_and_moved = 1LL << 61;      // in a window that was walked

// The number of the proof to be published next.
Result<std::int64_t> next_proof(storage::Database& database, const std::string& resource);

// Returns the lowest number among the parts of [from, to), each with the number of its newest proof; 0 if a part has
// none. Pure.
std::int64_t lowest_proof(const std::vector<SliceFacts>& slices, std::int64_t from, std::int64_t to);

// The same for the ledger from its beginning to behind_all. If `number` > 0, it is a proof of `walked` that is being
// published at `now`.
Result<std::int64_t> lowest_proof(storage::Database& database, const std::string& resource, const Slice& walked,
                                  std::int64_t number, Instant now);

// Returns the value of `missed` for a row that proof `number` lacked and whose own address places it at `place`.
// Requests another walk of the windows there.
Result<std::int64_t> departed_to(storage::Database& database, const std::string& resource, std::int64_t place,
                                 std::int64_t number);

// True if one proven walk of a window lacked rows, which may be in another one.
Result<bool> has_candidates(storage::Database& database, const std::string& resource);
// The highest number of a proof with which a row left its window, to be sought in all others; 0 = none.
Result<std::int64_t> newest_departure(storage::Database& database, const std::string& resource);
// The same for rows whose own address says where they are.
Result<std::int64_t> newest_move(storage::Database& database, const std::string& resource);
// True if a row that left its window may be in none that was walked. Ignores rows that their own address places in one.
Result<bool> may_be_outside(storage::Database& database, const std::string& resource);

// Stores in `_resources` how many rows have left. `any`: whether any row is missed at all.
Result<void> record_departed(storage::Database& database, const ResourceFacts& facts, bool any);

}  // namespace shelfd::mirror
