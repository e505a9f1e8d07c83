// Writes items as rows: each member to its column, and to `_exact` what a column cannot restore.
#pragma once

#include "base/result.hpp"
#include "mirror/columns/encode.hpp"
#include "mirror/columns/member_places.hpp"
#include "mirror/json/page.hpp"
#include "storage/row_batch.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace shelfd::mirror {

// Values in a column that is not made for them.
struct Drift {
    Kind expected = Kind::undecided;
    std::uint64_t items = 0;
    std::uint64_t told = 0;  // of these, stored in `_drift` already
    std::string item_key;    // of the first item with a text of digits; without one, of the first
    std::string sample;      // its text, shortened
};
using Drifts = std::map<std::pair<std::size_t, ValueClass>, Drift>;  // by column and class found

class RowWriter {
public:
    RowWriter(storage::Database& database, std::string table, Columns& columns);

    // `member_places` belongs to `members`. Since the last `take`, columns may have been added but not changed.
    void take(const PageItem& item, std::span<const Member> members, const MemberPlaces& member_places);
    // Writes the taken rows to the table, which must have all stored columns by then. The caller clears the batch.
    Result<void> write();
    // Instead of writing them: calls `take` for each taken row that the table lacks or has with another SQL value.
    // `row` is its number from 0; from column 1 of `stored` on there is the table's row, as in `columns.names()`.
    using TakeStored = std::function<Result<void>(std::size_t row, const storage::Statement& stored)>;
    Result<void> each_differing(const TakeStored& take);
    // True if each column of such a row means the same as in the taken one. `_shape` and `_exact` do not count.
    bool means_stored(std::size_t row, const storage::Statement& stored) const;
    storage::RowBatch& rows() { return rows_; }
    const Drifts& drifts() const { return drifts_; }
    // Records that `item` has a value of class `found` in a column made for another kind.
    void add_drift(const PageItem& item, std::size_t column, ValueClass found, std::string_view sample);
    // Returns drifts of key columns and marks them as stored: the caller must store them at once.
    Drifts take_key_drifts();

private:
    void find_places();
    Result<void> prepare();
    Result<void> prepare_comparison();
    void put(const PageItem& item, const Member& member, MemberPlaces::Place place, bool shaped);
    void keep_exact(const Member& member);

    storage::Database& database_;
    std::string table_;
    Columns& columns_;
    storage::RowBatch rows_;           // `_shape` and `_exact`, then the stored columns in the order met
    std::vector<std::size_t> places_;  // by column: position in a row; 0 = none
    std::size_t width_ = 2;
    std::optional<storage::Statement> insert_;
    std::size_t prepared_for_ = 0;  // width for which `insert_` was prepared
    std::optional<storage::Statement> compare_;
    std::size_t compares_ = 0;  // width for which `compare_` was prepared
    TextArena workshop_;
    std::string exact_;
    Drifts drifts_;
};

}  // namespace shelfd::mirror
