// Writes items as rows: each member into its column, what a column cannot tell into `_exact`.
#pragma once

#include "base/result.hpp"
#include "mirror/columns/encode.hpp"
#include "mirror/columns/member_places.hpp"
#include "mirror/json/page.hpp"
#include "storage/row_batch.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace shelfd::mirror {

// A column met values it is not made for.
struct Drift {
    Kind expected = Kind::undecided;
    std::uint64_t items = 0;
    std::uint64_t told = 0;  // of these, `_drift` knows already
    std::string item_key;    // of the first
    std::string sample;      // its text, shortened
};
using Drifts = std::map<std::pair<std::size_t, ValueClass>, Drift>;  // by column and what was found

class RowWriter {
public:
    RowWriter(storage::Database& database, std::string table, Columns& columns);

    // `layout` is that of `members`. Columns must be as they were at the last `take`, or only have gained some.
    void take(const PageItem& item, std::span<const Member> members, const MemberPlaces& member_places);
    // Puts what was taken into the table, which has all stored columns by then. The batch is the caller's to clear.
    Result<void> write();
    storage::RowBatch& rows() { return rows_; }
    const Drifts& drifts() const { return drifts_; }
    // `item` has `found` in a column that was made for something else.
    void add_drift(const PageItem& item, std::size_t column, ValueClass found, std::string_view sample);
    // Those of the key: whoever asks for them writes them down at once.
    Drifts take_key_drifts();

private:
    void find_places();
    Result<void> prepare();
    void put(const PageItem& item, const Member& member, MemberPlaces::Place place, bool shaped);
    void keep_exact(const Member& member);

    storage::Database& database_;
    std::string table_;
    Columns& columns_;
    storage::RowBatch rows_;           // `_shape` and `_exact`, then the stored columns as they were met
    std::vector<std::size_t> places_;  // in a row, by column; 0 for none
    std::size_t width_ = 2;
    std::optional<storage::Statement> insert_;
    std::size_t prepared_for_ = 0;  // of that width
    TextArena workshop_;
    std::string exact_;
    Drifts drifts_;
};

}  // namespace shelfd::mirror
