// `_held`: rows that the service no longer lists but still has, until they reappear or a person decides.
#pragma once

#include "base/result.hpp"
#include "mirror/json/item_key.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/values/held.hpp"
#include "mirror/values/specs.hpp"
#include "storage/sqlite.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace shelfd::mirror {

// Values of `missed` in the states of rows, in addition to the number of consecutive complete passes that lacked one.
inline constexpr int missed_but_held = -1;  // the row is in `_held`
inline constexpr int missed_and_kept = -3;  // the same, and a person decided that it stays

// All functions except `list_held` run in the caller's transaction.

struct Holding {
    std::string_view run_id;
    std::string_view since;
    std::string_view why;
    std::string_view within = {};  // SQL condition of a slice, see slices.hpp
};
// Holds each row whose `missed` is above zero. Returns their number.
Result<std::uint64_t> hold_missing(storage::Database& database, const ResourceFacts& facts, const Holding& holding);
// Removes the rows whose state meets `condition` from `_held`. The caller changes their states.
Result<void> forget_held(storage::Database& database, const ResourceFacts& facts, const std::string& condition);
// Why rows are held that an invalid token may not have been shown. Stored in `_held.why` and compared: another wording
// would not know the older one.
inline constexpr std::string_view held_unvouched =
    "the list lacks it, but the token may have been invalid: no list refuses a wrong one";
// Releases rows of a slice that were held for `why` and that the walk lacks again: they are missing like others.
Result<void> release_held_as(storage::Database& database, ResourceFacts& facts, std::string_view why,
                             std::string_view within);
Result<std::vector<HeldRow>> list_held(storage::Database& database, const std::string& resource, std::size_t most);

// Applies a person's decision to the named rows, or to all that wait for one. Errors: not_found for a key that is not
// held.
Result<HeldOutcome> decide_held(storage::Database& database, ResourceFacts& facts, const HeldDecision& decision,
                                const ResourceSpec& spec, Instant now);

}  // namespace shelfd::mirror
