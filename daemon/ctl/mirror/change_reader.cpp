#include "ctl/mirror/change_reader.hpp"

#include "base/scope_exit.hpp"
#include "base/state/unwritten_tables.hpp"
#include "ctl/mirror/file.hpp"
#include "ctl/mirror/mirror_format.hpp"
#include "storage/query.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include <sys/stat.h>

namespace shelfd::ctl {
namespace {

// Limits of a batch, and so of memory.
constexpr std::size_t max_lines = 500;
constexpr std::size_t max_bytes = 8U << 20;

std::uint64_t inode_of(const std::string& path)
{
    struct stat facts = {};
    return ::stat(path.c_str(), &facts) == 0 ? facts.st_ino : 0;
}

Change change_of(const storage::Statement& row)
{
    return {row.integer(0),           std::string(row.text(1)), std::string(row.text(2)), std::string(row.text(3)),
            std::string(row.text(4)), std::string(row.text(5)), row.optional_text(6),     row.optional_text(7)};
}

std::size_t bytes_of(const Change& change)
{
    return change.item_key.size() + change.before.value_or("").size() + change.after.value_or("").size();
}

}  // namespace

ChangeReader::ChangeReader(std::string path, storage::Database database, std::string resource)
    : path_(std::move(path)), database_(std::move(database)), resource_(std::move(resource)), inode_(inode_of(path_))
{
}

Result<ChangeReader> ChangeReader::open(const std::string& path, std::string resource)
{
    SHELFD_TRY_ASSIGN(database, open_to_read(path));
    if (!resource.empty()) {
        SHELFD_TRY_ASSIGN(known, storage::read_texts(database, "SELECT resource FROM _resources ORDER BY resource"));
        if (std::find(known.begin(), known.end(), resource) == known.end()) {
            return no_table(resource, known);
        }
        SHELFD_TRY_ASSIGN(noted, storage::read_texts(database, "SELECT value FROM _meta WHERE key = ?", unwritten_key));
        if (!noted.empty() && UnwrittenTables(noted.front()).contains(resource)) {
            return Error(ErrorKind::usage, fmt::format("the change feed does not tell of {0}, since the configuration "
                                                       "says changes = \"none\": read the table {0} itself",
                                                       resource));
        }
    }
    return ChangeReader(path, std::move(database), std::move(resource));
}

// A mirror that was set aside exists under another name: the old file would never change again.
Result<void> ChangeReader::reopen_if_replaced()
{
    const auto inode = inode_of(path_);
    if (inode == inode_ || inode == 0) {
        return {};
    }
    SHELFD_TRY_ASSIGN(database, open_to_read(path_));
    database_ = std::move(database);
    inode_ = inode;
    version_ = 0;
    return {};
}

Result<ChangeReader::Extent> ChangeReader::extent()
{
    SHELFD_TRY_ASSIGN(feed, storage::read_texts(database_, "SELECT value FROM _meta WHERE key = 'feed'"));
    if (feed.empty()) {
        return Error(ErrorKind::corrupt, fmt::format("{} names no change feed", path_));
    }
    // AUTOINCREMENT remembers the last number even if all lines are deleted.
    SHELFD_TRY_ASSIGN(newest,
                      storage::read_number(database_, "SELECT seq FROM sqlite_sequence WHERE name = '_changes'"));
    SHELFD_TRY_ASSIGN(oldest, storage::read_number(database_, "SELECT min(seq) FROM _changes"));
    SHELFD_TRY_ASSIGN(noted, loads());
    Extent extent{oldest > 0 ? oldest : newest + 1, {std::move(feed.front()), newest}, std::move(noted)};
    for (const auto& one : extent.loads) {
        extent.newest.load = std::max(extent.newest.load, one.seq == newest ? one.load : 0);
    }
    return extent;
}

Result<std::vector<ChangeReader::Load>> ChangeReader::loads()
{
    std::vector<Load> found;
    SHELFD_TRY_ASSIGN(there,
                      storage::read_number(database_, "SELECT count(*) FROM sqlite_master WHERE name = '_untold'"));
    if (there == 0) {
        return found;  // a mirror of an earlier version that no daemon has opened since
    }
    SHELFD_TRY(storage::each_row(database_, "SELECT resource, seq, load FROM _untold ORDER BY resource",
                                 [&](const storage::Statement& row) {
                                     found.push_back({std::string(row.text(0)), row.integer(1), row.integer(2)});
                                 }));
    return found;
}

Result<Position> ChangeReader::oldest()
{
    SHELFD_TRY_ASSIGN(found, extent());
    return Position{found.newest.feed, found.oldest - 1};
}

Result<Position> ChangeReader::newest()
{
    SHELFD_TRY_ASSIGN(found, extent());
    return std::move(found.newest);
}

Result<std::optional<Position>> ChangeReader::acknowledged_by(const std::string& consumer)
{
    SHELFD_TRY_ASSIGN(
        there, storage::read_number(database_, "SELECT count(*) FROM sqlite_master WHERE name = '_feed_consumers'"));
    if (there == 0) {
        return std::optional<Position>();  // a mirror of an earlier version that no daemon has opened since
    }
    SHELFD_TRY_ASSIGN(
        positions, storage::read_texts(database_, "SELECT position FROM _feed_consumers WHERE consumer = ?", consumer));
    return positions.empty() ? std::optional<Position>() : Position::parse(positions.front());
}

std::string ChangeReader::gap_at(const Position& position, const Extent& found, Loads loads) const
{
    if (position.feed != found.newest.feed) {
        return fmt::format(
            "{} is a position in another feed: the mirror is new, was restored from a copy or moved, the "
            "source of a table or of its details was changed, or this is another library",
            position.to_text());
    }
    if (found.newest.is_before(position.seq, position.load)) {
        return fmt::format("{} is after the newest change, {}: the mirror was restored from a copy", position.to_text(),
                           found.newest.seq);
    }
    if (position.seq + 1 < found.oldest) {
        return fmt::format("changes {} to {} are no longer kept", position.seq + 1, found.oldest - 1);
    }
    std::string tables;
    for (const auto& one : found.loads) {
        const bool concerns = resource_.empty() || one.resource == resource_;
        if (loads == Loads::told && concerns && position.is_before(one.seq, one.load)) {
            tables += (tables.empty() ? "" : ", ") + one.resource;
        }
    }
    return tables.empty() ? ""
                          : fmt::format("since {} these tables received rows that are not in the change feed (a first "
                                        "load, older windows of a ledger, or a table that was configured again): {}",
                                        position.to_text(), tables);
}

Result<ChangeBatch> ChangeReader::after(const Position& position, Loads loads)
{
    SHELFD_TRY(reopen_if_replaced());
    SHELFD_TRY(database_.execute("BEGIN"));
    const ScopeExit end([this] {
        if (database_.in_transaction()) {
            (void)database_.execute("COMMIT");
        }
    });
    SHELFD_TRY_ASSIGN(found, extent());
    ChangeBatch batch;
    batch.gap = gap_at(position, found, loads);
    batch.reached = found.newest;
    return batch.gap.empty() ? read(position, found) : Result<ChangeBatch>(std::move(batch));
}

Result<ChangeBatch> ChangeReader::read(const Position& position, const Extent& extent)
{
    SHELFD_TRY_ASSIGN(lines, database_.prepare(R"sql(
        SELECT seq, seen_at, run_id, resource, item_key, op, before, after FROM _changes WHERE seq > ? ORDER BY seq
    )sql"));
    lines.bind(1, position.seq);
    ChangeBatch batch;
    batch.reached = position;
    std::size_t bytes = 0;
    for (std::size_t taken = 0; taken < max_lines && bytes < max_bytes; ++taken) {
        SHELFD_TRY_ASSIGN(row, lines.step());
        if (!row) {
            batch.reached = extent.newest;  // also after loads
            break;
        }
        batch.reached.seq = lines.integer(0);
        batch.reached.load = 0;
        if (resource_.empty() || lines.text(3) == resource_) {
            bytes += bytes_of(batch.changes.emplace_back(change_of(lines)));
        }
    }
    batch.more = batch.reached.is_before(extent.newest.seq, extent.newest.load);
    return batch;
}

Result<bool> ChangeReader::written()
{
    SHELFD_TRY(reopen_if_replaced());
    SHELFD_TRY_ASSIGN(version, storage::read_number(database_, "PRAGMA data_version"));
    return std::exchange(version_, version) != version;
}

}  // namespace shelfd::ctl
