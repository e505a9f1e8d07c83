// RESOURCE_detail: the content of each row's own address, in addition to the list, published item by item.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "mirror/details/queue.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/rows/change_feed.hpp"
#include "mirror/rows/removal.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::mirror {

// All functions run in the caller's transaction. `resource` is the name of the list, and `facts` its facts.

// Creates the queue and the view if they do not exist.
Result<void> declare_details(storage::Database& database, const ResourceFacts& facts, Instant now);
// Call after a pass over the list has staged rows, before they are published.
Result<void> queue_staged(storage::Database& database, const ResourceFacts& facts, Instant now);
// Removes the rows of the list whose state meets `condition`, and their details. Returns the number of rows.
Result<std::uint64_t> remove_list_rows(storage::Database& database, const ResourceFacts& facts, ChangeFeed& changes,
                                       const std::string& condition, const Removal& removal);
// Stores in the rows of list and details how complete the details are, for `freshness`.
Result<void> record_details(storage::Database& database, const std::string& resource, std::size_t key_size,
                            Instant now);
Result<DetailFacts> count_details(storage::Database& database, const ResourceFacts& facts, Instant now,
                                  Instant again_before);

// Sets `_fetched_at` from the queue after the table was rewritten. `facts` are those of the details.
Result<void> restore_fetched_at(storage::Database& database, const ResourceFacts& facts);

// A batch of answers, published together with what was staged of it.
class DetailBatch {
public:
    // `facts` are those of the details before the batch.
    DetailBatch(storage::Database& database, const ResourceFacts& facts, const DetailRun& run, Instant now)
        : database_(database), facts_(facts), run_(run), now_(now)
    {
    }

    // Call if the item was staged.
    void took(const ItemKey& key, const DetailAnswer& answer) { taken_.push_back({key, &answer}); }
    void failed(const ItemKey& key, const DetailAnswer& answer, std::string why);
    void gone(const ItemKey& key, const DetailAnswer& answer) { gone_.push_back({key, &answer}); }

    // Call after the rows are in the table: removes rows that are gone, and updates the queue.
    Result<std::uint64_t> settle(ChangeFeed& changes, const Removal& removal);
    Result<void> write_run(const DetailOutcome& outcome, std::uint64_t rows, std::uint64_t bytes, Instant finished);
    // Updates the details' row in `_resources`, including the number of rows and ordinals.
    Result<void> record_line(const ResourceFacts& facts);

private:
    struct Line {
        ItemKey key;
        const DetailAnswer* answer;
        std::string why = {};
    };
    Result<void> date_rows();
    Result<std::uint64_t> remove_gone(ChangeFeed& changes, const Removal& removal);

    storage::Database& database_;
    const ResourceFacts& facts_;
    const DetailRun& run_;
    Instant now_;
    std::vector<Line> taken_;
    std::vector<Line> gone_;
    std::vector<Line> failed_;
};

}  // namespace shelfd::mirror
