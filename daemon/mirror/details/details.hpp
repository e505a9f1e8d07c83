// RESOURCE_detail: what each row's own address says, beside the list, published item by item.
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

// All of it in the caller's transaction. `resource` is the list's name throughout, and `facts` its line.

// The queue and the view are there from then on.
Result<void> declare_details(storage::Database& database, const ResourceFacts& facts, Instant now);
// A pass over the list has staged rows; before they are published.
Result<void> queue_staged(storage::Database& database, const ResourceFacts& facts, Instant now);
// Takes the rows of the list whose state meets `condition` out of it, and their details with them. How many rows.
Result<std::uint64_t> remove_list_rows(storage::Database& database, const ResourceFacts& facts, ChangeFeed& changes,
                                       const std::string& condition, const Removal& removal);
// How far they are, into the lines of list and details, where `freshness` finds it.
Result<void> record_details(storage::Database& database, const std::string& resource, std::size_t key_size,
                            Instant now);
Result<DetailFacts> count_details(storage::Database& database, const ResourceFacts& facts, Instant now,
                                  Instant again_before);

// `facts` of the details themselves: `_fetched_at` as the queue knows it, after the table was written anew.
Result<void> restore_fetched_at(storage::Database& database, const ResourceFacts& facts);

// A batch of answers, as it is published with what was staged of it.
class DetailBatch {
public:
    // `facts` of the details, as they are before.
    DetailBatch(storage::Database& database, const ResourceFacts& facts, const DetailRun& run, Instant now)
        : database_(database), facts_(facts), run_(run), now_(now)
    {
    }

    // `key` was staged.
    void took(const ItemKey& key, const DetailAnswer& answer) { taken_.push_back({key, &answer}); }
    void failed(const ItemKey& key, const DetailAnswer& answer, std::string why);
    void gone(const ItemKey& key, const DetailAnswer& answer) { gone_.push_back({key, &answer}); }

    // After the rows are in the table: rows that are gone leave it, the queue goes on.
    Result<std::uint64_t> settle(ChangeFeed& changes, const Removal& removal);
    Result<void> write_run(const DetailOutcome& outcome, std::uint64_t rows, std::uint64_t bytes, Instant finished);
    // The line of the details, rows and ordinals included.
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
