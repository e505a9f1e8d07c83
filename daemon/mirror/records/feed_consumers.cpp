#include "mirror/records/feed_consumers.hpp"

#include "base/state/feed_position.hpp"
#include "base/words/names.hpp"
#include "mirror/records/resource.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace shelfd::mirror {
namespace {

// Each may hold back changes, and is looked at after each publication.
constexpr std::int64_t most_consumers = 100;

// "" if nobody has used the name.
Result<std::string> owner_of(storage::Database& database, const std::string& consumer)
{
    SHELFD_TRY_ASSIGN(owners,
                      storage::read_texts(database, "SELECT owner FROM _feed_consumers WHERE consumer = ?", consumer));
    return owners.empty() ? std::string() : std::move(owners.front());
}

Result<void> check_owner(const std::string& owner, const Acknowledgement& said)
{
    if (said.of_anybody || owner.empty() || owner == said.user) {
        return {};
    }
    return Error(ErrorKind::permission,
                 fmt::format("the consumer {} belongs to {}: use another name, or ask an admin", said.consumer, owner));
}

Result<Position> check_position(storage::Database& database, const std::string& text)
{
    const auto position = Position::parse(text);
    if (!position) {
        return Error(ErrorKind::usage, fmt::format("\"{}\" is not a position of a change feed", text));
    }
    SHELFD_TRY_ASSIGN(newest_text, newest_position(database));
    const auto newest = Position::parse(newest_text).value_or(Position());
    if (position->feed != newest.feed) {
        return Error(ErrorKind::usage,
                     fmt::format("{} is a position in another feed: the mirror is new, was restored from a copy or "
                                 "moved, the source of a table or of its details was changed, or this is another "
                                 "library; read the tables again, then acknowledge {}",
                                 text, newest.to_text()));
    }
    if (newest.is_before(position->seq, position->load)) {
        return Error(ErrorKind::usage,
                     fmt::format("{} is after the newest change, {}: the mirror was restored from a copy; read the "
                                 "tables again, then acknowledge that position",
                                 text, newest.to_text()));
    }
    return *position;
}

// A load into a table: rows without lines in the feed.
struct Load {
    std::string resource;
    std::int64_t seq = 0;
    std::int64_t load = 0;
};

Result<std::vector<Load>> read_loads(storage::Database& database)
{
    std::vector<Load> found;
    SHELFD_TRY(storage::each_row(database, "SELECT resource, seq, load FROM _untold ORDER BY resource",
                                 [&found](const storage::Statement& row) {
                                     found.push_back({std::string(row.text(0)), row.integer(1), row.integer(2)});
                                 }));
    return found;
}

}  // namespace

Result<std::vector<FeedConsumer>> load_feed_consumers(storage::Database& database)
{
    constexpr const char* sql = R"sql(
        SELECT consumer, position, acknowledged_at, acknowledged_by,
            max(coalesce((SELECT s.seq FROM sqlite_sequence s WHERE s.name = '_changes'), 0) - c.seq, 0),
            (SELECT seen_at FROM _changes l WHERE l.seq > c.seq ORDER BY l.seq LIMIT 1)
        FROM _feed_consumers c ORDER BY consumer
    )sql";
    SHELFD_TRY_ASSIGN(newest_text, newest_position(database));
    const auto newest = Position::parse(newest_text).value_or(Position());
    SHELFD_TRY_ASSIGN(oldest, storage::read_number(database, fmt::format("SELECT coalesce(min(seq), {}) FROM _changes",
                                                                         newest.seq + 1)));
    SHELFD_TRY_ASSIGN(loads, read_loads(database));
    std::vector<FeedConsumer> found;
    SHELFD_TRY(storage::each_row(database, sql, [&](const storage::Statement& row) {
        const auto since = row.optional_text(5);
        const auto position = Position::parse(row.text(1));
        const bool is_lost = !position || position->feed != newest.feed || position->seq + 1 < oldest ||
                             newest.is_before(position->seq, position->load);
        found.push_back({std::string(row.text(0)), std::string(row.text(1)), static_cast<std::uint64_t>(row.integer(4)),
                         since ? Instant::from_rfc3339(*since) : std::nullopt,
                         Instant::from_rfc3339(row.text(2)).value_or(Instant()), std::string(row.text(3)), is_lost});
        for (const auto& one : loads) {
            if (position && position->is_before(one.seq, one.load)) {
                found.back().loaded.push_back(one.resource);
            }
        }
    }));
    return found;
}

Result<void> acknowledge(storage::Database& database, const Acknowledgement& said, Instant now)
{
    constexpr std::string_view write = R"sql(
        INSERT INTO _feed_consumers (consumer, position, seq, owner, acknowledged_at, acknowledged_by)
        VALUES (?1, ?2, ?3, ?4, ?5, ?4)
        ON CONFLICT (consumer) DO UPDATE SET position = ?2, seq = ?3, acknowledged_at = ?5, acknowledged_by = ?4
    )sql";
    SHELFD_TRY_ASSIGN(transaction, storage::Transaction::begin(database));
    SHELFD_TRY_ASSIGN(position, check_position(database, said.position));
    SHELFD_TRY_ASSIGN(owner, owner_of(database, said.consumer));
    SHELFD_TRY(check_owner(owner, said));
    if (owner.empty()) {
        SHELFD_TRY_ASSIGN(count, storage::read_number(database, "SELECT count(*) FROM _feed_consumers"));
        if (count >= most_consumers) {
            return Error(ErrorKind::usage, fmt::format("this mirror has {} named consumers already; remove one with "
                                                       "shelfctl changes LIBRARY --consumer NAME --forget",
                                                       count));
        }
    }
    SHELFD_TRY(
        storage::run(database, write, said.consumer, position.to_text(), position.seq, said.user, now.to_text()));
    return transaction.commit();
}

Result<void> forget_feed_consumer(storage::Database& database, const Acknowledgement& said)
{
    SHELFD_TRY_ASSIGN(owner, owner_of(database, said.consumer));
    if (owner.empty()) {
        SHELFD_TRY_ASSIGN(names,
                          storage::read_texts(database, "SELECT consumer FROM _feed_consumers ORDER BY consumer"));
        return Error(ErrorKind::not_found,
                     fmt::format("no consumer {} has acknowledged changes of this mirror (known: {})", said.consumer,
                                 list_nearest_first(said.consumer, std::move(names))));
    }
    SHELFD_TRY(check_owner(owner, said));
    return storage::run(database, "DELETE FROM _feed_consumers WHERE consumer = ?", said.consumer);
}

}  // namespace shelfd::mirror
