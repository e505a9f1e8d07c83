// `_queue_RESOURCE`: a line for each row of a list, in the order in which the rows' own addresses are requested.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "mirror/json/item_key.hpp"
#include "mirror/values/details.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::mirror {

// All writing functions run in the caller's transaction.
class DetailQueue {
public:
    DetailQueue(storage::Database& database, const std::string& resource, std::size_t key_size);

    Result<bool> exists();
    // Creates it with all rows of the list.
    Result<void> create(Instant now);

    // Moves the rows that a pass over the list has staged to `rank`.
    Result<void> staged(DetailRank rank, Instant now);
    // Removes the lines of rows whose state in the list meets `condition`.
    Result<void> remove(const std::string& condition);

    Result<bool> contains(const ItemKey& key);
    // Results of a request sent at `asked`, recorded at `now`. A row that changed in its list meanwhile stays due.
    struct Moments {
        Instant asked;
        Instant now;
    };
    Result<void> fetched(const ItemKey& key, const Moments& moments, std::string_view fetched_at);
    Result<void> gone(const ItemKey& key, const Moments& moments);
    Result<void> postpone(const ItemKey& key, const Moments& moments, Instant not_before, std::string_view why);
    // The first 200 postponed items are due at once.
    Result<void> end_postponement(Instant now);

    // Sets all facts except `rows`, `fetched` and `filled`, which are in `_resources`.
    Result<DetailFacts> count(Instant now, Instant again_before);
    Result<std::vector<DetailItem>> next(const DetailShare& share, Instant now);

private:
    struct Due {
        DetailRank rank;
        Instant at;
    };

    // `rest` sets the other columns, with {} for `text`.
    Result<void> answered(const ItemKey& key, const Moments& moments, const Due& due, const std::string& rest,
                          std::optional<std::string> text);
    std::string somewhere() const;
    std::string in_line(DetailRank rank, const std::string& condition = "") const;
    template <typename... Values>
    Result<void> take(const std::string& sql, std::size_t length, std::vector<DetailItem>& items,
                      const Values&... values);
    Result<void> count_ranks(DetailFacts& facts);
    Result<void> describe_fault(DetailFacts& facts);

    storage::Database& database_;
    std::string resource_;
    std::string table_;    // quoted
    std::string states_;   // states of the list's rows, quoted
    std::string key_;      // "k1, k2"
    std::string matches_;  // "(k1, k2) = (?1, ?2)"
    std::size_t key_size_;
};

}  // namespace shelfd::mirror
