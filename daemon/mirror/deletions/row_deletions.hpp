// Rows that a complete pass lacks: which are deleted, which wait for more evidence, and when all are held.
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
    std::vector<Moved> moved;  // there, but in another slice than the one walked
    bool held_there = false;   // a held row is still there
    bool held_denied = false;  // a held row is among those gone
    bool any_unclear = false;  // the service gave no verdict on a held row
};

// Number of consecutive complete passes that must lack a row without other evidence before it is deleted.
inline constexpr int needed_passes = 2;

enum class Verdict {
    hold,     // some of them are there by their own address: the list hides rows, nothing was deleted
    wait,     // only passes count: rows that two of them lack are deleted
    believe,  // rows are deleted if their own address confirms it; all of them if the list is one page
};

// True if the missing rows exceed both limits: a single pass is then not enough to delete them. No I/O.
bool are_many(std::uint64_t missing, std::uint64_t rows, const DeletionLimits& limits);

// Decides on the missing rows. No I/O.
Verdict judge(const DeletionEvidence& evidence, std::uint64_t newly_missing, std::uint64_t rows,
              const DeletionLimits& limits);

// Runs on the states of rows in the publishing transaction, where `_seen(ord)` is true for rows that the walk met.
class RowDeletions {
public:
    struct Pass {
        const PassStart& start;
        const Proof& proof;
        const DeletionEvidence& evidence;
        const DeletionLimits& limits;
        bool keep_deleted;
        std::string at;                 // now
        std::string within = {};        // SQL condition of the slice that was walked, see slices.hpp
        std::int64_t proof_number = 0;  // for a proven window of a ledger; see departed_rows.hpp
    };

    RowDeletions(storage::Database& database, ResourceFacts& facts, ChangeFeed& changes, const Pass& pass)
        : database_(database), facts_(facts), changes_(changes), pass_(pass)
    {
    }

    // `absent`: number of rows that the walk did not meet; empty if it must be determined.
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

// See Pass::missing. `within`: an SQL condition of the walked slice, beginning with AND; "" for the whole table. A
// different `salt` gives a different sample.
Result<std::vector<MissingRow>> missing_rows(storage::Database& database, const ResourceFacts& facts,
                                             const std::string& within, std::size_t most,
                                             const std::vector<std::string>& address_members, std::int64_t salt);

}  // namespace shelfd::mirror
