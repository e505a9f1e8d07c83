// The new and changed rows of one pass, in separate tables until they are published.
#pragma once

#include "base/result.hpp"
#include "mirror/columns/columns.hpp"
#include "mirror/columns/key_sets.hpp"
#include "mirror/columns/member_places.hpp"
#include "mirror/columns/row_writer.hpp"
#include "mirror/json/page.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/rows/states.hpp"
#include "mirror/staging/waiting_rows.hpp"
#include "mirror/values/commit.hpp"
#include "mirror/values/walk.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace shelfd::mirror {

// Call `take`, which fails only if the page is invalid, then `write`, which fails only on the disk. Rows may wait for
// those of the next pages: lists begin with the newest row, and SQLite fills its pages well only if many neighbouring
// rows arrive in order (measured, 1,000 instead of 200: files 18 % smaller). `facts` and `start` must outlive this; it
// updates the ordinals and the key type of `facts`.
class Staging {
public:
    static Result<std::unique_ptr<Staging>> open(storage::Database& database, ResourceFacts& facts,
                                                 const PassStart& start);

    // Parses the page's new and changed items. Errors: protocol.
    Result<void> take(const Page& page);
    // Writes the taken items, or lets them wait. Sets the ordinals of the items.
    Result<void> write(Page& page, Commit commit);
    // Writes the waiting rows in one transaction, and frees their memory. After a failure they still wait.
    Result<void> flush();

    // True if the tables of this pass exist.
    bool begun() const { return begun_; }
    // Sets `staged` of the items that this pass has met before.
    Result<void> look_up(Page& page);
    // Counts rebuilds of the key columns. A rebuild makes earlier prepared statements and state tables invalid.
    std::uint64_t rebuilds() const { return rebuilds_; }

    // Adds untyped columns for members that were always null. In the caller's transaction.
    Result<void> add_null_columns();

    std::uint64_t added() const { return added_; }
    std::uint64_t changed() const { return changed_; }
    Columns& columns() { return columns_; }
    const KeySets& shapes() const { return shapes_; }
    const Drifts& drifts() const { return writer_.drifts(); }

private:
    struct Piece {
        std::uint32_t item;  // index in the page
        std::size_t first;   // index of its first member
        std::size_t size;
        const MemberPlaces* member_places;
    };

    struct Spare {
        std::vector<Member> members;
        std::vector<Piece> pieces;
    };
    static Spare& spare_of_thread();

    Staging(storage::Database& database, ResourceFacts& facts, const PassStart& start, Columns columns, KeySets shapes);
    void borrow();
    void give_back();
    std::span<const Member> members_of(const Piece& piece) const;
    void mark_met(const MemberPlaces& member_places);
    Result<void> decide_kinds(const Page& page);
    Result<void> decide_key_kinds(const Page& page);
    void record_key_drift(const Page& page, std::size_t part, ValueClass found);
    void store_column(std::size_t place, Kind kind);
    Result<void> rebuild_keys();
    Result<void> add_columns();
    void add_row(PageItem& item, const Piece& piece);
    Result<void> write_waiting();

    storage::Database& database_;
    ResourceFacts& facts_;
    const PassStart& start_;
    Columns columns_;
    KeySets shapes_;
    Layouts layouts_;
    RowWriter writer_;
    std::optional<StateTable> seen_;
    std::vector<Member> members_;
    std::vector<Piece> pieces_;
    WaitingRows waiting_;
    std::vector<std::size_t> new_columns_;            // missing in the table
    std::vector<ValueClasses> classes_;               // by column, of the present page
    std::vector<std::optional<ValueClass>> strange_;  // by part of the key: class that caused a rebuild in this pass
    std::vector<bool> met_;                           // by column: an item with its key was written
    std::uint64_t added_ = 0;
    std::uint64_t changed_ = 0;
    std::uint64_t rebuilds_ = 0;
    bool begun_ = false;
};

}  // namespace shelfd::mirror
