// Makes a pass visible: rows, deletions, freshness, proof and changes, in one transaction.
#pragma once

#include "base/result.hpp"
#include "mirror/deletions/row_deletions.hpp"
#include "mirror/details/details.hpp"
#include "mirror/file/options.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/rows/change_feed.hpp"
#include "mirror/rows/dated_changes.hpp"
#include "mirror/rows/states.hpp"
#include "mirror/staging/staging.hpp"
#include "mirror/values/specs.hpp"
#include "mirror/values/walk.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::mirror {

struct PassTotals {
    std::uint64_t pages = 0;
    std::uint64_t bytes = 0;
    std::uint64_t known_rows = 0;             // rows of the table that the walk met
    std::optional<Instant> compared_at = {};  // begin of a walk that compares unchanged rows with their items
};

class Publication {
public:
    struct Pass {
        const PassStart& start;
        const Proof& proof;
        const PassTotals& totals;
        const SeenRows& seen;
        const std::vector<std::int64_t>& taken;  // see records/taken_rows.hpp
        Staging* staging;                        // null if nothing is new or changed
        const DeletionEvidence& evidence;
        ChangeDetail changes;
        bool keep_deleted;
        const MirrorOptions& options;
        Instant now;
        DetailBatch* details = nullptr;  // for a table of details: the answers of its rows' addresses
        const DateWatch* dates = nullptr;
    };

    Publication(storage::Database& database, ResourceFacts& facts, const Pass& pass);
    Result<PublishOutcome> run();

private:
    bool staged() const { return pass_.staging != nullptr && pass_.staging->begun(); }
    // The list whose details these are, or the table itself.
    const std::string& list() const { return facts_.detail_of.empty() ? facts_.name : facts_.detail_of; }
    // True if staging holds each row that the table holds: it can take its place.
    Result<bool> replaces_all_rows();

    Result<void> show_dates();
    Result<void> put_rows();
    Result<void> release_held();
    Result<void> swap_in_staging();
    Result<void> merge_staging();
    Result<void> add_columns();
    Result<void> settle_deletions();
    Result<void> record_untold();
    Result<void> check_former_rows();
    Result<void> compare_rebuilt();
    Result<void> check_slice();
    Result<void> record_slice();
    Result<bool> are_rows_waiting();
    Result<std::uint64_t> rows_in_slice();
    Result<void> write_columns();
    Result<void> write_key_sets();
    Result<void> write_drift();
    Result<void> write_proof();
    Result<void> record_freshness();
    Result<void> write_run();
    Result<void> forget_what_is_old();
    Result<void> record_commit();
    Result<void> settle_details();
    Result<void> record_details_run();
    Result<void> record_pending_details();
    Result<void> align_view();

    storage::Database& database_;
    ResourceFacts& facts_;
    const Pass& pass_;
    ChangeFeed changes_;
    PublishOutcome outcome_;
    std::optional<storage::Database> former_;  // to be compared with; until then nothing is written to the feed
    std::int64_t proof_number_ = 0;            // for a proven window; see departed_rows.hpp
    bool is_muted_ = false;                    // the feed is suppressed by a first load, or until the comparison
    bool first_load_ = false;                  // of the slice: its rows are not written to the feed
    std::string table_;
    std::string states_;
};

}  // namespace shelfd::mirror
