// Compares rows with the items from which they were made: the check of a table that needs the service's answers.
#pragma once

#include "base/result.hpp"
#include "mirror/columns/columns.hpp"
#include "mirror/columns/item_reader.hpp"
#include "mirror/columns/key_sets.hpp"
#include "mirror/columns/member_places.hpp"
#include "mirror/columns/row_writer.hpp"
#include "mirror/json/object.hpp"
#include "mirror/json/page.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/rows/change_feed.hpp"
#include "mirror/values/specs.hpp"
#include "mirror/values/walk.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::mirror {

// A pass takes a row for unchanged if the hash of its item is the one in the row's state, and never reads the row
// itself. So a value that a bad disk or another program changed would stay for ever: SQLite's own checks do not look at
// values. Once a week, and after another program wrote to the file, each such row is compared with its item, and
// written again if it has other values. The item is the one that a pass has published before, so this needs no
// publication. `database` and `facts` must outlive this.
class RowComparison {
public:
    // `changes`: what is written to the feed, as `run_id`, about rows that are put right.
    static Result<std::unique_ptr<RowComparison>> open(storage::Database& database, const ResourceFacts& facts,
                                                       ChangeDetail changes, const std::string& run_id);

    // For the items of the page whose hash is that of their row. Not within a transaction. Errors: storage; corrupt, if
    // the table lacks what describes its rows.
    Result<void> compare(const Page& page, Instant now);

    // Number of rows that were put right.
    std::uint64_t put_right() const { return put_right_; }
    // The first of them, as JSON; "" = none.
    const std::string& first_key() const { return first_key_; }

private:
    struct Damaged {
        std::uint32_t item;                             // index in the page
        std::optional<std::vector<ItemMember>> before;  // empty: the row is missing; no members: it cannot be read
    };

    RowComparison(storage::Database& database, const ResourceFacts& facts, Columns columns, KeySets shapes);
    bool take(const PageItem& item);
    Result<void> compare_taken(const Page& page, Instant now);
    Result<void> put_right(const Page& page, const std::vector<Damaged>& damaged, Instant now);

    storage::Database& database_;
    const ResourceFacts& facts_;
    ChangeDetail changes_ = ChangeDetail::none;
    std::string run_id_;
    Columns columns_;
    KeySets shapes_;
    Layouts layouts_;
    ItemReader reader_;
    RowWriter writer_;
    std::vector<Member> members_;
    std::vector<std::uint32_t> taken_;  // by row of the writer: its item in the page
    std::uint64_t put_right_ = 0;
    std::string first_key_;
};

// Whether this pass compares: the last one that did is a week ago, or none did since the tables came into doubt. A pass
// for changes never does, one over the details of rows always.
Result<bool> is_comparison_due(storage::Database& database, const ResourceFacts& facts, const PassStart& start,
                               Instant now);
// Every table came into doubt: all passes that begin from now on compare, also those that an open pass has compared.
Result<void> doubt_rows(storage::Database& database, Instant now);

}  // namespace shelfd::mirror
