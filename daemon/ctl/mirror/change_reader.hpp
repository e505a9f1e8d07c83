// Reads the change feed of a mirror from a position on, and knows when lines of it are missing.
#pragma once

#include "base/result.hpp"
#include "ctl/line/feed_position.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::ctl {

struct Change {
    std::int64_t seq = 0;
    std::string seen_at;
    std::string run_id;
    std::string resource;
    std::string item_key;  // JSON
    std::string op;
    std::optional<std::string> before;  // JSON
    std::optional<std::string> after;
};

struct ChangeBatch {
    std::vector<Change> changes;
    Position reached;   // whoever has the changes is up to date until here
    bool more = false;  // there are lines behind it
    std::string gap;    // not empty: nothing was read, since what happened behind the position is not all in the feed
};

// Each call sees one state of the mirror and holds no transaction afterwards: a reader that is slow pins no WAL.
class ChangeReader {
public:
    // `resource`: "" for all. Errors: not_found for one that the mirror has not; those of SQLite.
    static Result<ChangeReader> open(const std::string& path, std::string resource);

    // Before the oldest line that is kept.
    Result<Position> oldest();
    Result<Position> newest();
    enum class Loads { told, ignored };  // ignored: for who wants what is kept, and has no table to bring up to date
    // Some of the next lines, in their order.
    Result<ChangeBatch> after(const Position& position, Loads loads = Loads::told);
    // False when nothing was written since the last call of this function. Cheap.
    Result<bool> written();

private:
    struct Load {
        std::string resource;
        std::int64_t seq = 0;
        std::int64_t load = 0;
    };
    struct Extent {
        std::int64_t oldest = 0;  // first line that is kept
        Position newest;          // behind the last line ever written
        std::vector<Load> loads;  // the last one of each table
    };

    ChangeReader(std::string path, storage::Database database, std::string resource);
    Result<Extent> extent();
    Result<std::vector<Load>> loads();
    std::string gap_at(const Position& position, const Extent& found, Loads loads) const;
    Result<ChangeBatch> read(const Position& position, const Extent& extent);
    Result<void> reopen_if_replaced();

    std::string path_;
    storage::Database database_;
    std::string resource_;
    std::int64_t version_ = 0;  // PRAGMA data_version
    std::uint64_t inode_ = 0;
};

}  // namespace shelfd::ctl
