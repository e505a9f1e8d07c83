// Rows that a complete pass lacks: which of them go, which wait for a second witness, and when all of them are held.
#pragma once

#include "base/result.hpp"
#include "mirror/json/item_key.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/rows/change_feed.hpp"
#include "mirror/rows/removal.hpp"
#include "mirror/values/specs.hpp"
#include "mirror/values/walk.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::mirror {

// What the rows' own addresses answered during this pass.
struct DeletionEvidence {
    std::vector<ItemKey> gone;
    std::vector<ItemKey> there;
    struct Moved {
        ItemKey key;
        std::int64_t place;
    };
    std::vector<Moved> moved;  // there, but in other slices than the one that was walked
    bool held_there = false;   // of the rows that are held, one is there still
    bool held_denied = false;  // one is among those gone
    bool any_unclear = false;  // for one, the service did not say
};

// So many complete passes in a row must lack a row that nobody else witnessed against.
inline constexpr int needed_witnesses = 2;

enum class Verdict {
    hold,     // some of them are there, if one asks for them alone: the list is filtered, nothing was deleted
    wait,     // only passes are believed: rows that two of them lack go
    believe,  // rows go that their own address denies; where the list is one page, all of them
};

// More than the share of all, and more than a few: then a pass alone is no reason to let them go. No I/O.
bool are_many(std::uint64_t missing, std::uint64_t rows, const DeletionLimits& limits);

// Decides; no I/O.
Verdict judge(const DeletionEvidence& testimony, std::uint64_t newly_missing, std::uint64_t rows,
              const DeletionLimits& limits);

// Works on the states of rows inside the publishing transaction, where `_seen(ord)` tells what the walk met.
class RowDeletions {
public:
    struct Pass {
        const PassStart& start;
        const Proof& proof;
        const DeletionEvidence& testimony;
        const DeletionLimits& limits;
        bool keep_deleted;
        std::string at;                 // now
        std::string within = {};        // the slice that was walked, as slices.hpp writes it
        std::int64_t proof_number = 0;  // of a window of a ledger, where it is proven; see departed_rows.hpp
    };

    RowDeletions(storage::Database& database, ResourceFacts& facts, ChangeFeed& changes, const Pass& pass)
        : database_(database), facts_(facts), changes_(changes), pass_(pass)
    {
    }

    // `absent`: rows that the walk did not meet; nothing where somebody has to look for them.
    Result<void> settle(std::optional<std::uint64_t> absent);

    std::uint64_t deleted() const { return deleted_; }
    std::uint64_t candidates() const { return candidates_; }

private:
    Result<bool> is_any_missing(std::optional<std::uint64_t> absent);
    Result<void> clear_reappeared();
    Result<void> record_moved();
    Result<void> miss();
    Result<void> weigh();
    Result<Verdict> verdict();
    Result<std::uint64_t> gone_in_round();
    Result<void> hold();
    Result<void> hold_for_want_of_a_canary();
    Result<void> release_unvouched();
    Result<void> release_held();
    Result<void> release_kept();
    Result<void> believe();
    Result<void> remove_witnessed();
    bool is_of_ledger() const;
    std::string one_more() const;
    Result<std::string> agreed();

    storage::Database& database_;
    ResourceFacts& facts_;
    ChangeFeed& changes_;
    const Pass& pass_;
    std::uint64_t deleted_ = 0;
    std::uint64_t candidates_ = 0;
};

// See Pass::missing. `within`: see slices.hpp. `salt`: another sample for each.
Result<std::vector<MissingRow>> missing_rows(storage::Database& database, const ResourceFacts& facts,
                                             const std::string& within, std::size_t most,
                                             const std::vector<std::string>& address_members, std::int64_t salt);

}  // namespace shelfd::mirror
