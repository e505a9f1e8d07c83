#include "mirror/details/details.hpp"

#include "mirror/columns/columns.hpp"
#include "mirror/details/full_view.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/json/instants.hpp"
#include "mirror/records/row_state_sql.hpp"
#include "mirror/rows/untold.hpp"
#include "mirror/values/names.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

namespace shelfd::mirror {

namespace {

// Value of `missed` in the states of details, in addition to those of the list: the service no longer has the row.
constexpr int missed_and_gone = 9;

Result<ResourceFacts> facts_of(storage::Database& database, const std::string& resource)
{
    SHELFD_TRY_ASSIGN(facts, load_facts(database, resource));
    if (!facts) {
        return Error(ErrorKind::corrupt, fmt::format("_resources has no line {}", resource));
    }
    return std::move(*facts);
}

std::string key_columns(const Columns& columns)
{
    std::string out;
    for (std::size_t part = 0; part < columns.key_size(); ++part) {
        out += (part == 0 ? "" : ", ") + identifier(columns[part].name);
    }
    return out;
}

Result<void> remove_details(storage::Database& database, const ResourceFacts& facts, ChangeDetail changes,
                            const std::string& condition, const Removal& removal)
{
    DetailQueue queue(database, facts.name, facts.key.size());
    SHELFD_TRY_ASSIGN(there, queue.exists());
    if (!there) {
        return {};
    }
    SHELFD_TRY_ASSIGN(details, facts_of(database, detail_name(facts.name)));
    if (details.rows > 0) {
        const auto key = key_list(facts.key.size(), "k{}");
        const auto theirs =
            fmt::format("({0}) IN (SELECT {0} FROM {1} WHERE {2})", key, identifier(state_name(facts.name)), condition);
        ChangeFeed feed(database, details, details.published ? changes : ChangeDetail::none,
                        std::string(removal.run_id), std::string(removal.at));
        SHELFD_TRY_ASSIGN(removed, remove_rows(database, details, feed, theirs, {false, removal.run_id, removal.at}));
        if (removed > 0 && !details.published && changes != ChangeDetail::none) {
            SHELFD_TRY(record_untold(database, details.name));
        }
        SHELFD_TRY(storage::run(database, "UPDATE _resources SET rows = rows - ?2 WHERE resource = ?1", details.name,
                                removed));
    }
    return queue.remove(condition);
}

}  // namespace

Result<void> declare_details(storage::Database& database, const ResourceFacts& facts, Instant now)
{
    DetailQueue queue(database, facts.name, facts.key.size());
    SHELFD_TRY_ASSIGN(there, queue.exists());
    if (!there) {
        SHELFD_TRY(queue.create(now));
    }
    SHELFD_TRY(align_full_view(database, facts.name));
    return record_details(database, facts.name, facts.key.size(), now);
}

Result<void> queue_staged(storage::Database& database, const ResourceFacts& facts, Instant now)
{
    DetailQueue queue(database, facts.name, facts.key.size());
    SHELFD_TRY_ASSIGN(there, queue.exists());
    if (!there) {
        return {};
    }
    return queue.staged(facts.published ? DetailRank::changed : DetailRank::never, now);
}

Result<DetailFacts> count_details(storage::Database& database, const ResourceFacts& facts, Instant now,
                                  Instant again_before)
{
    SHELFD_TRY_ASSIGN(counted, DetailQueue(database, facts.name, facts.key.size()).count(now, again_before));
    SHELFD_TRY_ASSIGN(details, facts_of(database, detail_name(facts.name)));
    counted.rows = facts.rows;
    counted.fetched = details.rows;
    counted.filled = details.published;
    return std::move(counted);
}

Result<std::uint64_t> remove_list_rows(storage::Database& database, const ResourceFacts& facts, ChangeFeed& changes,
                                       const std::string& condition, const Removal& removal)
{
    SHELFD_TRY(remove_details(database, facts, changes.detail(), condition, removal));
    return remove_rows(database, facts, changes, condition, removal);
}

Result<void> record_details(storage::Database& database, const std::string& resource, std::size_t key_size, Instant now)
{
    SHELFD_TRY_ASSIGN(there, DetailQueue(database, resource, key_size).exists());
    if (!there) {
        return {};
    }
    SHELFD_TRY_ASSIGN(list, facts_of(database, resource));
    SHELFD_TRY_ASSIGN(facts, count_details(database, list, now, now));
    // Once all rows were requested, the table is as old as its oldest row; if it has none, as old as the list.
    facts.filled = facts.filled || (list.published && facts.never == 0);
    const bool has_age = facts.fetched > 0 || facts.pending() == 0;
    return storage::run(database, R"sql(
        UPDATE _resources SET detail_share = ?2, detail_pending = ?3, detail_oldest = ?4,
            as_of = CASE WHEN detail_of IS NULL THEN as_of WHEN NOT ?5 THEN NULL
                WHEN ?4 IS NOT NULL THEN ?4 ELSE (SELECT as_of FROM _resources WHERE resource = ?1) END
        WHERE resource IN (?1, ?6)
    )sql",
                        resource, facts.share(), facts.pending(), text_of(facts.oldest), facts.filled && has_age,
                        detail_name(resource));
}

Result<void> restore_fetched_at(storage::Database& database, const ResourceFacts& facts)
{
    if (facts.detail_of.empty()) {
        return {};
    }
    SHELFD_TRY_ASSIGN(columns, Columns::load(database, facts.name, facts.key));
    std::string same;
    for (std::size_t part = 0; part < columns.key_size(); ++part) {
        same += fmt::format("{}q.k{} = d.{}", part == 0 ? "" : " AND ", part + 1, identifier((columns)[part].name));
    }
    return database.execute(fmt::format("UPDATE {} AS d SET _fetched_at = (SELECT fetched_at FROM {} AS q WHERE {})",
                                        identifier(facts.name), identifier(queue_name(facts.detail_of)), same));
}

void DetailBatch::failed(const ItemKey& key, const DetailAnswer& answer, std::string why)
{
    failed_.push_back({key, &answer, std::move(why)});
}

Result<std::uint64_t> DetailBatch::settle(ChangeFeed& changes, const Removal& removal)
{
    SHELFD_TRY(date_rows());
    DetailQueue queue(database_, facts_.detail_of, facts_.key.size());
    for (const auto& line : taken_) {
        const auto fetched_at = line.answer->fetched_at.to_text();
        SHELFD_TRY(queue.fetched(line.key, {line.answer->asked, now_}, fetched_at));
    }
    for (const auto& line : failed_) {
        SHELFD_TRY(queue.postpone(line.key, {line.answer->asked, now_}, line.answer->retry_at, line.why));
    }
    for (const auto& line : gone_) {
        SHELFD_TRY(queue.gone(line.key, {line.answer->asked, now_}));
    }
    return remove_gone(changes, removal);
}

Result<void> DetailBatch::date_rows()
{
    if (taken_.empty()) {
        return {};
    }
    SHELFD_TRY_ASSIGN(columns, Columns::load(database_, facts_.name, facts_.key));
    const auto size = facts_.key.size();
    SHELFD_TRY_ASSIGN(date, database_.prepare(fmt::format("UPDATE {} SET _fetched_at = ?{} WHERE ({}) = ({})",
                                                          identifier(facts_.name), size + 1, key_columns(columns),
                                                          key_list(size, "?{}"))));
    for (const auto& line : taken_) {
        const auto fetched_at = line.answer->fetched_at.to_text();
        line.key.bind(date, 1);
        date.bind(static_cast<int>(size) + 1, std::string_view(fetched_at));
        SHELFD_TRY(date.run());
    }
    return {};
}

Result<std::uint64_t> DetailBatch::remove_gone(ChangeFeed& changes, const Removal& removal)
{
    SHELFD_TRY_ASSIGN(there, has_table(database_, state_name(facts_.name)));
    if (!there || gone_.empty()) {
        return 0;
    }
    SHELFD_TRY_ASSIGN(mark, database_.prepare(fmt::format("UPDATE {} SET missed = {} WHERE {}", states_of(facts_),
                                                          missed_and_gone, key_is(facts_))));
    for (const auto& line : gone_) {
        line.key.bind(mark, 1);
        SHELFD_TRY(mark.run());
    }
    return remove_rows(database_, facts_, changes, fmt::format("missed = {}", missed_and_gone), removal);
}

Result<void> DetailBatch::write_run(const DetailOutcome& outcome, std::uint64_t rows, std::uint64_t bytes,
                                    Instant finished)
{
    constexpr std::string_view sql = R"sql(
        INSERT INTO _runs (run_id, resource, mode, result, started_at, finished_at, as_of, requests, pages, bytes, rows,
            added, changed, unchanged, deleted, reasons)
        VALUES (?1, ?2, 'detail', 'published', ?3, ?12, ?4, ?5, 0, ?6, ?7, ?8, ?9, ?10, ?11,
            printf('{"detail":%d}', ?5))
        ON CONFLICT (run_id, resource) DO UPDATE SET result = excluded.result, finished_at = excluded.finished_at,
            as_of = excluded.as_of, requests = requests + excluded.requests, bytes = bytes + excluded.bytes,
            rows = excluded.rows, added = coalesce(added, 0) + excluded.added,
            changed = coalesce(changed, 0) + excluded.changed,
            unchanged = coalesce(unchanged, 0) + excluded.unchanged, deleted = coalesce(deleted, 0) + excluded.deleted,
            reasons = printf('{"detail":%d}', requests + excluded.requests), error = NULL
    )sql";
    return storage::run(database_, sql, run_.run_id, facts_.name, run_.started.to_text(), now_.to_text(), run_.requests,
                        bytes, rows, outcome.added, outcome.changed, outcome.unchanged, outcome.removed,
                        finished.to_text());
}

Result<void> DetailBatch::record_line(const ResourceFacts& facts)
{
    SHELFD_TRY(storage::run(database_, R"sql(
        UPDATE _resources SET rows = ?2, next_ordinal = ?3, integer_key = ?4, published_at = ?5, run_id = ?6,
            error = NULL, late_at = CASE WHEN ?7 THEN NULL ELSE coalesce(late_at, ?5) END
        WHERE resource = ?1
    )sql",
                            facts.name, facts.rows, facts.next_ordinal, facts.integer_key, now_.to_text(), run_.run_id,
                            run_.keeps_up));
    return record_details(database_, facts.detail_of, facts.key.size(), now_);
}

}  // namespace shelfd::mirror
