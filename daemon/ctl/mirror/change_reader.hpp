// Reads the change feed of a mirror from a position on, and detects missing lines.
#pragma once

#include "base/result.hpp"
#include "base/state/feed_position.hpp"
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
    Position reached;   // a reader with these changes is up to date to here
    bool more = false;  // there are lines after it
    // If not "": nothing was read, because the feed lacks changes after the position, and why. Then a reader that has
    // read the tables again is up to date to `reached`.
    std::string gap;
};

// Each call sees one state of the mirror and leaves no transaction open: a slow reader pins no WAL.
class ChangeReader {
public:
    // `resource`: "" for all. Errors: not_found for one that the mirror does not have; those of SQLite.
    static Result<ChangeReader> open(const std::string& path, std::string resource);

    // Before the oldest line kept.
    Result<Position> oldest();
    Result<Position> newest();
    // An empty optional if this consumer has acknowledged nothing.
    Result<std::optional<Position>> acknowledged_by(const std::string& consumer);
    enum class Loads { told, ignored };  // ignored: for a reader that has no table to update
    // Some of the next lines, in order.
    Result<ChangeBatch> after(const Position& position, Loads loads = Loads::told);
    // False if nothing was written since the last call. Cheap.
    Result<bool> written();

private:
    struct Load {
        std::string resource;
        std::int64_t seq = 0;
        std::int64_t load = 0;
    };
    struct Extent {
        std::int64_t oldest = 0;  // first line kept
        Position newest;          // after the last line ever written
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
