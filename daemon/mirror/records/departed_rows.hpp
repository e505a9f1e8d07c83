// Rows that left their window of a ledger: they stay until it is known that they are in no other one.
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

// Each proof of a window has a number, one more than all before it. A row that a second proven walk of its window lacks
// has left it, and that proof's number in its state: it was out of that window when the walk began, so that a proof of
// the same or a higher number would have met it in its own. Where all windows have one, and so has what comes behind
// them (one walk up to behind_all), the row is nowhere.
//
// Values of `missed` in the states of such rows, beside 0 and 1:
inline constexpr std::int64_t missed_and_denied = 2;             // its own address says that it is gone
inline constexpr std::int64_t missed_since = 2;                  // more than that: left, less this number the proof's
inline constexpr std::int64_t missed_but_elsewhere = 1LL << 60;  // its address says that it is in a window to come

// The number of the proof that is to be published now.
Result<std::int64_t> next_proof(storage::Database& database, const std::string& resource);

// The lowest of the numbers that the parts of [from, to) have, each by its newest proof; 0 where one has none. Pure.
std::int64_t lowest_proof(const std::vector<SliceFacts>& slices, std::int64_t from, std::int64_t to);

// The same of the ledger from its beginning up to all that comes, with the proof of `walked` that is published now, if
// it is one (`number` > 0), `now`.
Result<std::int64_t> lowest_proof(storage::Database& database, const std::string& resource, const Slice& walked,
                                  std::int64_t number, Instant now);

// A row lies at `place` by its own address: the value of `missed` for it. The windows it lies in want another walk.
Result<std::int64_t> departed_to(storage::Database& database, const std::string& resource, std::int64_t place);

// The number of the newest proof that a row left its window with; 0: none has.
Result<std::int64_t> newest_departure(storage::Database& database, const std::string& resource);

// Says in `_resources` how many rows have left; `any`: whether any row is missed at all.
Result<void> record_departed(storage::Database& database, const ResourceFacts& facts, bool any);

}  // namespace shelfd::mirror
