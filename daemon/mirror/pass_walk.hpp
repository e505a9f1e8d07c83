// The walk of one pass: its pages are read, compared with the rows, and staged. Pass is its interface.
#pragma once

#include "mirror/deletions/row_deletions.hpp"
#include "mirror/file/open_passes.hpp"
#include "mirror/file/options.hpp"
#include "mirror/file/repairs.hpp"
#include "mirror/json/page_intake.hpp"
#include "mirror/pass.hpp"
#include "mirror/publish/publication.hpp"
#include "mirror/publish/row_comparison.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/rows/known_pages.hpp"
#include "mirror/rows/states.hpp"
#include "mirror/rows/walk_order.hpp"
#include "mirror/staging/staging.hpp"
#include "mirror/values/specs.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace shelfd::mirror {

// What a pass uses of its mirror, which outlives it.
struct PassServices {
    storage::Database& database;
    const MirrorOptions& options;
    OpenPasses& passes;
    std::function<void()> page_added;                               // called after each page, taken or not
    std::function<void(const std::optional<Error>& broken)> ended;  // why it could only be abandoned
    std::function<void(const DamagedRows& found)> damage_found;     // rows that were put right
};

struct Pass::Walk {
    Walk(PassServices services, const ResourceSpec& spec, ResourceFacts known_facts, PassStart pass_start);

    // Adds one page, read at once or in pieces.
    Result<PageFacts> add_whole(std::string_view results, std::span<const std::string_view> items, Commit commit);
    // The same for a page whose bytes an earlier walk has read, if the table has each of its rows as it was then;
    // empty: it must be read.
    Result<std::optional<PageFacts>> add_known(std::string_view results, Commit commit);
    Result<PageFacts> add_large(std::string_view results, Commit commit);
    // look_up sets what is known of the items' rows; `take` stages new and changed ones, and marks all as met.
    Result<void> look_up(Page& page);
    Result<void> take(Page& page, Commit commit, PageFacts& page_facts);

    Result<void> find_newest_known(const Page& page);
    bool has_moved(const PageItem& item) const;
    bool has_entered(const PageItem& item) const;
    bool is_taken(const PageItem& item) const;
    Result<void> stage(Page& page, Commit commit);
    void meet(const Page& page, PageFacts& page_facts);
    void close_page(PageFacts& page_facts);
    void open_states();
    // Ends it, and reports what it found.
    void end_comparison();
    Error fail(Error error);

    // Returns false if no row of the table can be missing.
    Result<bool> define_missing();
    Result<ValueLoss> value_loss();
    Result<void> keep_members();
    Result<void> write_staged();
    Result<PublishOutcome> publish(const Proof& proof, DetailBatch* details, const DateWatch* dates);
    // The pass is over: published or abandoned.
    void end();

    PassServices mirror;
    storage::Database& database;
    ResourceFacts facts;
    PassStart start;
    ChangeDetail changes;
    bool keep_deleted;

    PageIntake intake;
    WalkOrder order;
    std::optional<StateTable> known;            // states of the table's rows; empty if it has none
    std::optional<KnownPages> pages;            // of a walk over the whole list
    std::unique_ptr<RowComparison> comparison;  // null if this pass does not compare
    std::unique_ptr<Staging> staging;
    SeenRows seen;
    std::vector<std::int64_t> taken_places;  // former ones, of rows of other windows; see records/taken_rows.hpp
    PassTotals totals;
    DeletionEvidence evidence;
    std::uint64_t rebuilds = 0;                // number of rebuilds of the key that `known` reflects
    std::optional<std::int64_t> newest_known;  // highest key of this slice; looked up for the first new row
    bool newest_is_found = false;
    bool key_is_repeated = false;  // a page has one key in two of its pieces
    bool over = false;
    std::optional<Error> broken;  // why only abandoning is useful
};

}  // namespace shelfd::mirror
