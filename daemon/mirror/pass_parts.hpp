// What a pass is made of; between Mirror, which makes it, and Pass.
#pragma once

#include "mirror/deletions/row_deletions.hpp"
#include "mirror/json/exclusion.hpp"
#include "mirror/json/page.hpp"
#include "mirror/mirror.hpp"
#include "mirror/pass.hpp"
#include "mirror/publish/publication.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/rows/states.hpp"
#include "mirror/staging/staging.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace shelfd::mirror {

struct Pass::Parts {
    Parts(storage::Database& db, const MirrorOptions& mirror, ResourceFacts known_facts, PassStart pass_start);

    Result<void> look_up(Page& page);
    Result<void> find_newest_known(const Page& page);
    bool has_moved(const PageItem& item) const;
    bool has_entered(const PageItem& item) const;
    Result<void> stage(Page& page, Commit commit);
    // What is excluded is gone from the page, and what the slice adds is there. `text` is what the page points into.
    Result<Page> read(std::string_view results, std::size_t before, std::string& text);
    // After look_up.
    Result<void> take(Page& page, Commit commit, PageFacts& page_facts);
    // One page: read at once, or in pieces.
    Result<PageFacts> add_whole(std::string_view results, Commit commit);
    Result<PageFacts> add_large(std::string_view results, Commit commit);
    void meet(const Page& page, PageFacts& page_facts);
    void close_page(PageFacts& page_facts);
    std::optional<std::int64_t> order_of(const ItemKey& key) const;
    void measure_order(const Page& page, PageFacts& page_facts);
    Result<PublishOutcome> publish(const Proof& proof, DetailBatch* details, const DateWatch* dates);
    // Published, and over; or broken.
    Result<PublishOutcome> end(Result<PublishOutcome> outcome);
    void make_known();

    storage::Database& database;
    const MirrorOptions& options;
    ResourceFacts facts;
    PassStart start;
    ChangeDetail changes = ChangeDetail::values;
    Exclusion exclusion{{}};
    bool keep_deleted = false;
    std::function<void(const std::optional<Error>&)> ended;  // the mirror learns that it is over, and how

    PageReader reader;
    std::optional<StateTable> known;  // rows of the table; nothing while it is empty
    std::unique_ptr<Staging> staging;
    SeenRows seen;
    PassTotals totals;
    DeletionEvidence testimony;
    std::uint64_t rebuilds = 0;                 // of the key that `known` has heard of
    std::optional<std::int64_t> first_highest;  // key of the walk's first page
    std::optional<std::int64_t> lowest;         // key met so far
    std::optional<std::int64_t> key_before;     // of the same page
    bool has_order = true;                      // of the same page: each of its keys is a whole number
    std::optional<std::int64_t> newest_known;   // key of the table, in this slice; looked up for the first new row
    bool newest_is_found = false;
    bool any_page = false;
    bool over = false;
    std::optional<Error> broken;  // why nothing but abandoning makes sense
};

}  // namespace shelfd::mirror
