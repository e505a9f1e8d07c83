#include "mirror/details/queue.hpp"

#include "mirror/file/schema.hpp"
#include "mirror/json/instants.hpp"
#include "mirror/records/row_state_sql.hpp"
#include "mirror/values/names.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::mirror {

namespace {

// Of the postponed items that a person's request makes due, so that they hold up no others.
constexpr int most_at_once = 200;

int number_of(DetailRank rank)
{
    return static_cast<int>(rank);
}

// Rows are put behind for a day at most: a later time was set before the clock was set back.
std::string never_so_far(Instant now)
{
    return (now + std::chrono::hours(25)).to_text();
}

std::optional<Instant> earlier(std::optional<Instant> a, std::optional<Instant> b)
{
    return a && b ? std::min(a, b) : a ? a : b;
}

template <typename... Values>
Result<std::uint64_t> count_rows(storage::Database& database, const std::string& sql, const Values&... values)
{
    SHELFD_TRY_ASSIGN(count, storage::read_number(database, sql, values...));
    return static_cast<std::uint64_t>(count);
}

Result<std::optional<Instant>> read_instant(storage::Database& database, const std::string& sql)
{
    std::optional<Instant> found;
    SHELFD_TRY(storage::each_row(database, sql, [&](const storage::Statement& row) { found = instant_in(row, 0); }));
    return found;
}

}  // namespace

DetailQueue::DetailQueue(storage::Database& database, const std::string& resource, std::size_t key_size)
    : database_(database), resource_(resource), table_(identifier(queue_name(resource))),
      states_(identifier(state_name(resource))), key_(key_list(key_size, "k{}")),
      matches_(fmt::format("({}) = ({})", key_, key_list(key_size, "?{}"))), key_size_(key_size)
{
}

Result<bool> DetailQueue::exists()
{
    return has_table(database_, queue_name(resource_));
}

Result<void> DetailQueue::create(Instant now)
{
    // Key columns have no type, because 7 and "7" are different rows.
    SHELFD_TRY(database_.execute(
        fmt::format("CREATE TABLE {0} ({1}, rank INTEGER NOT NULL, at DATETIME NOT NULL, fetched_at DATETIME, "
                    "tries INTEGER NOT NULL DEFAULT 0, why TEXT, PRIMARY KEY ({1})) WITHOUT ROWID; "
                    "CREATE INDEX {2} ON {0} (rank, at)",
                    table_, key_, identifier(queue_name(resource_) + "_order"))));
    SHELFD_TRY_ASSIGN(listed, has_table(database_, state_name(resource_)));
    if (!listed) {
        return {};
    }
    return storage::run(database_,
                        fmt::format("INSERT INTO {0} ({1}, rank, at) SELECT {1}, {2}, ? FROM {3}", table_, key_,
                                    number_of(DetailRank::never), states_),
                        now.to_text());
}

Result<void> DetailQueue::staged(DetailRank rank, Instant now)
{
    const auto sql =
        fmt::format("INSERT INTO {0} ({1}, rank, at) SELECT {1}, {2}, ? FROM {3} WHERE true ON CONFLICT ({1}) DO "
                    "UPDATE SET rank = excluded.rank, at = excluded.at, tries = 0, why = NULL",
                    table_, key_, number_of(rank), identifier(seen_name(resource_)));
    return storage::run(database_, sql, now.to_text());
}

Result<void> DetailQueue::remove(const std::string& condition)
{
    return database_.execute(fmt::format("DELETE FROM {0} WHERE ({1}) IN (SELECT {1} FROM {2} WHERE {3})", table_, key_,
                                         states_, condition));
}

Result<bool> DetailQueue::contains(const ItemKey& key)
{
    SHELFD_TRY_ASSIGN(row, database_.prepare(fmt::format("SELECT 1 FROM {} WHERE {}", table_, matches_)));
    key.bind(row, 1);
    return row.step();
}

Result<void> DetailQueue::answered(const ItemKey& key, const Moments& moments, const Due& due, const std::string& rest,
                                   std::optional<std::string> text)
{
    const int next = static_cast<int>(key_size_) + 1;
    // A change in the future happened before the clock was set back; the row would stay due until then.
    const auto newer =
        fmt::format("rank = {} AND at > ?{} AND at <= ?{}", number_of(DetailRank::changed), next + 1, next + 2);
    SHELFD_TRY_ASSIGN(
        update,
        database_.prepare(fmt::format(
            "UPDATE {0} SET rank = CASE WHEN {1} THEN rank ELSE {2} END, at = CASE WHEN {1} THEN at ELSE ?{3} END, {4} "
            "WHERE {5}",
            table_, newer, number_of(due.rank), next, fmt::format(fmt::runtime(rest), fmt::format("?{}", next + 3)),
            matches_)));
    const auto at = due.at.to_text();
    const auto begun = moments.asked.to_text();
    const auto now = moments.now.to_text();
    key.bind(update, 1);
    update.bind(next, std::string_view(at)).bind(next + 1, std::string_view(begun));
    update.bind(next + 2, std::string_view(now));
    if (text) {
        update.bind(next + 3, std::string_view(*text));
    }
    return update.run();
}

Result<void> DetailQueue::fetched(const ItemKey& key, const Moments& moments, std::string_view fetched_at)
{
    return answered(key, moments, {DetailRank::fetched, moments.asked}, "fetched_at = {}, tries = 0, why = NULL",
                    std::string(fetched_at));
}

Result<void> DetailQueue::gone(const ItemKey& key, const Moments& moments)
{
    return answered(key, moments, {DetailRank::gone, moments.asked}, "fetched_at = NULL, tries = 0, why = NULL",
                    std::nullopt);
}

Result<void> DetailQueue::postpone(const ItemKey& key, const Moments& moments, Instant not_before, std::string_view why)
{
    return answered(key, moments, {DetailRank::behind, not_before}, "why = {}, tries = tries + 1", std::string(why));
}

Result<void> DetailQueue::end_postponement(Instant now)
{
    return storage::run(
        database_,
        fmt::format("UPDATE {0} SET at = ?1 WHERE ({1}) IN (SELECT {1} FROM {0} WHERE rank = {2} AND at > ?1 "
                    "ORDER BY at LIMIT {3})",
                    table_, key_, number_of(DetailRank::behind), most_at_once),
        now.to_text());
}

Result<DetailFacts> DetailQueue::count(Instant now, Instant again_before)
{
    DetailFacts facts;
    SHELFD_TRY(count_ranks(facts));
    const auto due = fmt::format("SELECT count(*) FROM {} WHERE rank = {} AND (at <= ? OR at > ?)", table_,
                                 number_of(DetailRank::behind));
    const auto again = fmt::format("SELECT count(*) FROM {} WHERE rank IN ({}, {}) AND at <= ?", table_,
                                   number_of(DetailRank::fetched), number_of(DetailRank::gone));
    SHELFD_TRY_ASSIGN(behind_due, count_rows(database_, due, now.to_text(), never_so_far(now)));
    SHELFD_TRY_ASSIGN(overdue, count_rows(database_, again, again_before.to_text()));
    facts.ready = facts.changed + facts.never + behind_due;
    facts.overdue = overdue;
    SHELFD_TRY(describe_fault(facts));
    // Fetched rows are in order, and so are those of a former address, before rows never fetched. Few others have an
    // older detail.
    const auto first_of = [this](DetailRank rank) {
        return read_instant(database_, fmt::format("SELECT fetched_at FROM {} WHERE rank = {} ORDER BY at LIMIT 1",
                                                   table_, number_of(rank)));
    };
    SHELFD_TRY_ASSIGN(in_turn, first_of(DetailRank::fetched));
    SHELFD_TRY_ASSIGN(elsewhere, first_of(DetailRank::never));
    SHELFD_TRY_ASSIGN(
        waiting, read_instant(database_, fmt::format("SELECT min(fetched_at) FROM {} WHERE rank IN ({}, {})", table_,
                                                     number_of(DetailRank::changed), number_of(DetailRank::behind))));
    facts.oldest = earlier(earlier(in_turn, elsewhere), waiting);
    return facts;
}

Result<void> DetailQueue::count_ranks(DetailFacts& facts)
{
    const auto add = [&](const storage::Statement& row) {
        const auto count = static_cast<std::uint64_t>(row.integer(1));
        const auto first = instant_in(row, 2);
        const auto last = instant_in(row, 3);
        switch (static_cast<DetailRank>(row.integer(0))) {
        case DetailRank::changed: facts.changed = count; break;
        case DetailRank::never: facts.never = count; break;
        case DetailRank::behind:
            facts.behind = count;
            facts.next_ready = first;
            break;
        case DetailRank::gone: facts.gone = count; [[fallthrough]];
        case DetailRank::fetched:
            facts.first_asked = earlier(facts.first_asked, first);
            facts.last_asked = std::max(facts.last_asked, last);
            break;
        }
    };
    return storage::each_row(database_,
                             fmt::format("SELECT rank, count(*), min(at), max(at) FROM {} GROUP BY rank", table_), add);
}

Result<void> DetailQueue::describe_fault(DetailFacts& facts)
{
    if (facts.behind == 0) {
        return {};
    }
    const auto sql = fmt::format("SELECT {}, why FROM {} WHERE rank = {} ORDER BY tries DESC, at LIMIT 1", key_, table_,
                                 number_of(DetailRank::behind));
    return storage::each_row(database_, sql, [&](const storage::Statement& line) {
        facts.fault =
            fmt::format("{}: {}", key_of(line, 0, key_size_).to_json(), line.text(static_cast<int>(key_size_)));
    });
}

Result<std::vector<DetailItem>> DetailQueue::next(const DetailShare& share, Instant now)
{
    std::vector<DetailItem> items;
    if (share.sample) {
        SHELFD_TRY(take(somewhere(), 1, items, *share.sample));
        if (!items.empty()) {
            return items;
        }
    }
    SHELFD_TRY(take(in_line(DetailRank::changed), share.ready, items, share.ready));
    SHELFD_TRY(take(in_line(DetailRank::behind, "AND (at <= ?2 OR at > ?3)"), share.ready, items, share.ready,
                    now.to_text(), never_so_far(now)));
    SHELFD_TRY(take(in_line(DetailRank::never), share.ready, items, share.ready));
    const auto again = fmt::format("SELECT * FROM ({}) UNION ALL SELECT * FROM ({}) ORDER BY at LIMIT ?1",
                                   in_line(DetailRank::fetched), in_line(DetailRank::gone));
    SHELFD_TRY(take(again, share.ready + share.again, items, share.again));
    return items;
}

// The row at the position ?1 in [0, 1).
std::string DetailQueue::somewhere() const
{
    const auto those = fmt::format("FROM {} WHERE rank IN ({}, {}, {})", table_, number_of(DetailRank::changed),
                                   number_of(DetailRank::never), number_of(DetailRank::fetched));
    return fmt::format("SELECT {0}, rank, tries, fetched_at, at {1} ORDER BY {0} LIMIT 1 "
                       "OFFSET (SELECT CAST(count(*) * ?1 AS INTEGER) {1})",
                       key_, those);
}

// The first ?1 rows of one rank.
std::string DetailQueue::in_line(DetailRank rank, const std::string& condition) const
{
    return fmt::format(
        "SELECT {0}, rank, tries, fetched_at, at FROM {1} WHERE rank = {2} {3} ORDER BY at, {0} LIMIT ?1", key_, table_,
        number_of(rank), condition);
}

// Appends rows of `sql` until `items` has `length` entries.
template <typename... Values>
Result<void> DetailQueue::take(const std::string& sql, std::size_t length, std::vector<DetailItem>& items,
                               const Values&... values)
{
    if (items.size() >= length) {
        return {};
    }
    const auto add = [&](const storage::Statement& row) {
        const int next = static_cast<int>(key_size_);
        auto& item = items.emplace_back();
        item.key = key_of(row, 0, key_size_).to_json();
        item.rank = static_cast<DetailRank>(row.integer(next));
        item.tries = static_cast<std::uint32_t>(row.integer(next + 1));
        item.fetched_at = instant_in(row, next + 2);
        item.has_detail = item.fetched_at.has_value();
        return items.size() < length;
    };
    return storage::each_row(database_, sql, add, values...);
}

}  // namespace shelfd::mirror
