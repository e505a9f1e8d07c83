// `_held`: rows that the service does not list any more and still has, until they are back or a person decides.
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

// Values of `missed` in the states of rows, beside the number of complete passes in a row that lacked one.
inline constexpr int missed_but_held = -1;  // each such row has a line in `_held`
inline constexpr int missed_and_kept = -3;  // so has such a one, with the word of a person that it stays

// All but `list_held` in the caller's transaction.

struct Holding {
    std::string_view run_id;
    std::string_view since;
    std::string_view why;
    std::string_view within = {};  // a slice, see slices.hpp
};
// Every row whose `missed` is above zero is held from now on. How many.
Result<std::uint64_t> hold_missing(storage::Database& database, const ResourceFacts& facts, const Holding& holding);
// The same rows whose state meets `condition` are held no more; their states are the caller's.
Result<void> forget_held(storage::Database& database, const ResourceFacts& facts, const std::string& condition);
// Why rows are held that a dead token may not have been shown.
inline constexpr std::string_view held_unvouched =
    "the list lacks it, but the token may have been invalid: no list refuses a wrong one";
// Rows held for that reason that the walk lacks again, within a slice, wait for nobody any more: they are missing.
Result<void> release_held_as(storage::Database& database, ResourceFacts& facts, std::string_view why,
                             std::string_view within);
Result<std::vector<HeldRow>> list_held(storage::Database& database, const std::string& resource, std::size_t most);

// What a person decided of the rows named, or of all that wait for a decision. Errors: not_found for a key that is
// not held.
Result<HeldOutcome> decide_held(storage::Database& database, ResourceFacts& facts, const HeldDecision& decision,
                                const ResourceSpec& spec, Instant now);

}  // namespace shelfd::mirror
