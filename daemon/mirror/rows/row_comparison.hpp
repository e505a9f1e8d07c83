// Compares rows with the items from which they were made: the check of a table that needs the service's answers.
#pragma once

#include "base/result.hpp"
#include "mirror/columns/columns.hpp"
#include "mirror/columns/key_sets.hpp"
#include "mirror/columns/member_places.hpp"
#include "mirror/columns/row_writer.hpp"
#include "mirror/json/object.hpp"
#include "mirror/json/page.hpp"
#include "mirror/records/resource.hpp"
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
// values. Once a week, and after another program wrote to the file, each such row is compared with its item.
// `database` and `facts` must outlive this.
class RowComparison {
public:
    static Result<std::unique_ptr<RowComparison>> open(storage::Database& database, const ResourceFacts& facts);

    // For each item of the page whose hash is that of its row: if the row is missing or has other values, its state
    // loses the hash, in the file and in the page. The item is then a changed one for this pass, or for the next one if
    // this one publishes nothing. Fails only on the disk.
    Result<void> compare(Page& page);

    // Number of such rows.
    std::uint64_t differing() const { return differing_; }
    // The first of them, as JSON; "" = none.
    const std::string& first_key() const { return first_key_; }

private:
    RowComparison(storage::Database& database, const ResourceFacts& facts, Columns columns, KeySets shapes);
    Result<void> compare_taken(Page& page);
    Result<void> forget_hash(PageItem& item);

    storage::Database& database_;
    const ResourceFacts& facts_;
    Columns columns_;
    KeySets shapes_;
    Layouts layouts_;
    RowWriter writer_;
    std::vector<Member> members_;
    std::vector<std::uint32_t> taken_;  // by row of the writer: its item in the page
    std::optional<storage::Statement> forget_;
    std::uint64_t differing_ = 0;
    std::string first_key_;
};

// Whether this pass compares: the last one that did is a week ago, or none did since the tables came into doubt. A pass
// for changes never does, one over the details of rows always.
Result<bool> is_comparison_due(storage::Database& database, const ResourceFacts& facts, const PassStart& start);
// Every table came into doubt: all passes compare again. In a transaction of its own.
Result<void> forget_comparisons(storage::Database& database);

}  // namespace shelfd::mirror
