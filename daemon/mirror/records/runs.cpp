#include "mirror/records/runs.hpp"

#include "mirror/json/instants.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

namespace shelfd::mirror {

namespace {

std::optional<std::string> text_or_null(const std::string& text)
{
    return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

Result<void> record_columns(storage::Database& database, const std::string& resource, const Columns& columns,
                            const std::string& run_id)
{
    SHELFD_TRY_ASSIGN(insert, database.prepare(R"sql(
        INSERT INTO _columns (resource, "column", "key", kind, since_run) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (resource, "column") DO UPDATE SET kind = excluded.kind
    )sql"));
    for (const auto& column : columns.all()) {
        if (!column.stored || (column.published && !column.changed)) {
            continue;
        }
        SHELFD_TRY(storage::run(insert, resource, column.name, column.key, to_string(column.kind), run_id));
    }
    return {};
}

Result<void> record_shapes(storage::Database& database, const std::string& resource, const KeySets& shapes)
{
    SHELFD_TRY_ASSIGN(insert,
                      database.prepare("INSERT OR IGNORE INTO _shapes (resource, shape, keys) VALUES (?, ?, ?)"));
    for (const auto& shape : shapes.fresh()) {
        SHELFD_TRY(storage::run(insert, resource, shape.number, shape.keys));
    }
    return {};
}

Result<void> record_drift(storage::Database& database, const std::string& resource, const Columns& columns,
                          const Drifts& drifts, const std::string& run_id, Instant now)
{
    // `freshness` looks at the sample: what a table shows as a number stays there, though later passes find other
    // texts.
    constexpr std::string_view stays = R"sql(excluded.found = 'text' AND trim(sample, '"') <> ''
        AND trim(sample, '"') NOT GLOB '*[^0-9]*' AND trim(excluded.sample, '"') GLOB '*[^0-9]*')sql";
    constexpr std::string_view sql = R"sql(
        INSERT INTO _drift (resource, "column", expected, found, items, item_key, sample,
            first_run, first_seen, last_run, last_seen)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?8, ?9)
        ON CONFLICT (resource, "column", found) DO UPDATE SET expected = excluded.expected,
            items = items + excluded.items,
            item_key = CASE WHEN {0} THEN item_key ELSE excluded.item_key END,
            sample = CASE WHEN {0} THEN sample ELSE excluded.sample END,
            last_run = excluded.last_run, last_seen = excluded.last_seen
    )sql";
    SHELFD_TRY_ASSIGN(insert, database.prepare(fmt::format(sql, stays)));
    const auto at = now.to_text();
    for (const auto& [what, drift] : drifts) {
        if (drift.items == drift.told) {
            continue;
        }
        const Column& column = columns[what.first];
        SHELFD_TRY(storage::run(insert, resource, column.name, to_string(drift.expected), to_string(what.second),
                                drift.items - drift.told, drift.item_key, drift.sample, run_id, at));
    }
    return {};
}

Result<void> record_proof(storage::Database& database, const std::string& resource, const PassStart& start,
                          const Proof& proof, std::uint64_t distinct_keys, Instant now)
{
    constexpr std::string_view sql = R"sql(
        INSERT INTO _proofs (run_id, resource, kind, complete, as_of, proven_at, count_start, count_end, distinct_keys,
            pages, text)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (run_id, resource) DO UPDATE SET -- lists by parent: one round, one line
            kind = CASE WHEN complete > excluded.complete THEN excluded.kind ELSE kind END,
            complete = min(complete, excluded.complete), proven_at = excluded.proven_at,
            count_start = count_start + excluded.count_start, count_end = count_end + excluded.count_end,
            distinct_keys = distinct_keys + excluded.distinct_keys, pages = pages + excluded.pages,
            text = excluded.text
    )sql";
    return storage::run(database, sql, start.run_id, resource, proof.kind, proof.complete, start.as_of.to_text(),
                        now.to_text(), proof.count_start, proof.count_end, distinct_keys, proof.pages,
                        text_or_null(proof.text));
}

Result<void> record_published(storage::Database& database, const PublishedRun& run)
{
    constexpr std::string_view sql = R"sql(
        INSERT INTO _runs (run_id, resource, mode, result, started_at, finished_at, as_of, requests, pages, bytes, rows,
            added, changed, unchanged, deleted, candidates, reasons)
        VALUES (?, ?, ?, 'published', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (run_id, resource) DO UPDATE SET -- lists by parent: one round, one line
            result = excluded.result, finished_at = excluded.finished_at, as_of = coalesce(as_of, excluded.as_of),
            requests = excluded.requests, reasons = excluded.reasons, pages = pages + excluded.pages,
            bytes = bytes + excluded.bytes, rows = excluded.rows, added = coalesce(added, 0) + excluded.added,
            changed = coalesce(changed, 0) + excluded.changed, unchanged = coalesce(unchanged, 0) + excluded.unchanged,
            deleted = coalesce(deleted, 0) + excluded.deleted, candidates = excluded.candidates
    )sql";
    const auto& start = run.start;
    const auto& outcome = run.outcome;
    return storage::run(database, sql, start.run_id, run.resource, to_string(start.mode), start.started.to_text(),
                        run.finished.to_text(), start.as_of.to_text(), run.proof.requests, run.pages, run.bytes,
                        outcome.rows, outcome.added, outcome.changed, outcome.unchanged, outcome.deleted,
                        outcome.candidates, text_or_null(run.proof.reasons));
}

Result<void> record_unpublished(storage::Database& database, const RunRecord& run)
{
    constexpr std::string_view sql = R"sql(
        INSERT OR REPLACE INTO _runs (run_id, resource, mode, result, started_at, finished_at, requests, pages, bytes,
            error, reasons)
        VALUES (?, ?, ?, 'failed', ?, ?, ?, ?, 0, ?, ?)
    )sql";
    const auto error = text_or_null(run.error);
    SHELFD_TRY(storage::run(database, sql, run.run_id, run.resource, to_string(run.mode), run.started.to_text(),
                            run.finished.to_text(), run.requests, run.pages, error, text_or_null(run.reasons)));
    return storage::run(database, "UPDATE _resources SET error = ?2 WHERE resource = ?1 AND error IS NOT ?2",
                        run.resource, error);
}

// The verb stands where passes have their mode.
Result<void> record_act(storage::Database& database, const ActRecord& act)
{
    constexpr std::string_view sql = R"sql(
        INSERT OR REPLACE INTO _runs (run_id, resource, mode, result, started_at, finished_at, requests, pages, bytes,
            error, asked_by)
        VALUES (?, ?, ?, ?, ?, ?, 0, 0, 0, ?, ?)
    )sql";
    return storage::run(database, sql, act.run_id, act.resource, act.verb, act.error.empty() ? "done" : "not done",
                        act.started.to_text(), act.finished.to_text(), text_or_null(act.error),
                        text_or_null(act.asked_by));
}

namespace {

// Modes of passes; other lines of `_runs` are what people did or decided.
std::string pass_modes()
{
    return fmt::format("('{}', '{}', '{}', '{}')", to_string(RunMode::full), to_string(RunMode::incremental),
                       to_string(RunMode::window), to_string(RunMode::between_rounds));
}

// Newest first.
Result<std::vector<RunCounts>> published_since(storage::Database& database, const std::string& resource, Instant since)
{
    constexpr const char* sql = R"sql(
        SELECT run_id, added, changed, deleted FROM (SELECT * FROM _runs ORDER BY rowid DESC LIMIT 1000)
        WHERE resource = ? AND result = 'published' AND mode IN {} AND finished_at >= ? LIMIT 100
    )sql";
    std::vector<RunCounts> runs;
    const auto take = [&runs](const storage::Statement& row) {
        const auto count = [&row](int column) { return static_cast<std::uint64_t>(row.integer(column)); };
        runs.push_back({std::string(row.text(0)), count(1), count(2), count(3)});
    };
    SHELFD_TRY(storage::each_row(database, fmt::format(sql, pass_modes()), take, resource, since.to_text()));
    return runs;
}

Result<std::shared_ptr<const PastRun>> newest_run(storage::Database& database, const std::string& resource)
{
    constexpr const char* sql = R"sql(
        SELECT run.run_id, run.mode, run.result = 'published', run.started_at, run.finished_at, run.error,
            run.mode <> 'incremental' AND proof.complete, run.requests, run.pages, run.rows, run.added, run.changed,
            run.deleted
        FROM _runs run LEFT JOIN _proofs proof ON proof.run_id = run.run_id AND proof.resource = run.resource
        WHERE run.resource = ? AND run.mode IN {}
        ORDER BY run.rowid DESC LIMIT 1
    )sql";
    SHELFD_TRY_ASSIGN(row, database.prepare(fmt::format(sql, pass_modes())));
    row.bind(1, std::string_view(resource));
    SHELFD_TRY_ASSIGN(found, row.step());
    if (!found) {
        return std::shared_ptr<const PastRun>();
    }
    const auto count = [&row](int column) { return static_cast<std::uint64_t>(row.integer(column)); };
    auto run = std::make_shared<PastRun>();
    run->run_id = row.text(0);
    run->mode = row.text(1);
    run->is_published = row.integer(2) != 0;
    run->started = instant_in(row, 3).value_or(Instant());
    run->finished = instant_in(row, 4).value_or(Instant());
    run->error = row.text(5);
    run->is_proven = row.integer(6) != 0;
    run->requests = count(7);
    run->pages = count(8);
    run->rows = count(9);
    run->added = count(10);
    run->changed = count(11);
    run->deleted = count(12);
    constexpr auto lately = std::chrono::minutes(1);
    SHELFD_TRY_ASSIGN(published, published_since(database, resource, run->finished - lately));
    run->published_lately = std::move(published);
    return std::shared_ptr<const PastRun>(std::move(run));
}

}  // namespace

Result<std::optional<ResourceSummary>> summarise(storage::Database& database, const std::string& resource,
                                                 NewestRun run)
{
    SHELFD_TRY_ASSIGN(summary, summarise(database, resource));
    if (summary && run == NewestRun::included) {
        SHELFD_TRY_ASSIGN(newest, newest_run(database, resource));
        summary->newest_run = std::move(newest);
    }
    return summary;
}

Result<void> record_asker(storage::Database& database, const std::string& resource, const std::string& run_id,
                          const std::string& who)
{
    return storage::run(database, "UPDATE _runs SET asked_by = ?3 WHERE run_id = ?2 AND resource = ?1", resource,
                        run_id, who);
}

Result<void> save_published(storage::Database& database, const ResourceFacts& facts, const PassStart& start,
                            const Proof& proof, const std::string& key_set, Instant now)
{
    constexpr std::string_view sql = R"sql(
        UPDATE _resources SET rows = ?2, candidates = ?3, next_ordinal = ?4, integer_key = ?5,
            as_of = coalesce(?6, as_of), proven_as_of = CASE WHEN ?7 THEN coalesce(?6, proven_as_of) ELSE proven_as_of
            END, published_at = ?8, run_id = ?9, held = ?12,
            late_at = CASE WHEN ?6 IS NULL THEN late_at ELSE ?10 END, next_due = coalesce(?11, next_due), error = NULL,
            changes_from = coalesce(?13, changes_from), key_set = coalesce(?14, key_set),
            compared_at = coalesce(?15, compared_at)
        WHERE resource = ?1
    )sql";
    // A slice does not date the table, except the last one of a round.
    const bool says = !start.slice || proof.round;
    const auto as_of = says ? std::optional((proof.round ? proof.round->as_of : start.as_of).to_text()) : std::nullopt;
    const bool proven = proof.complete && (!proof.round || proof.round->proven);
    const auto tells = proof.keys_tell ? key_set : std::string(keys_of_moved_walk);
    const auto whole_set = proof.whole && !start.slice ? std::optional(tells) : std::nullopt;
    return storage::run(database, sql, facts.name, facts.rows, facts.candidates, facts.next_ordinal, facts.integer_key,
                        as_of, proven, now.to_text(), start.run_id, text_of(proof.late_at), text_of(proof.next_due),
                        facts.held, text_of(proof.changes_from), whole_set, text_of(facts.compared_at));
}

Result<void> record_decision(storage::Database& database, const ResourceFacts& facts, const PassStart& start,
                             std::uint64_t deleted)
{
    return storage::run(database, R"sql(
        INSERT OR REPLACE INTO _runs (run_id, resource, mode, result, started_at, finished_at, requests, pages, bytes,
            rows, deleted)
        VALUES (?1, ?2, ?3, 'published', ?4, ?4, 0, 0, 0, ?5, ?6)
    )sql",
                        start.run_id, facts.name, to_string(start.mode), start.started.to_text(), facts.rows, deleted);
}

Result<void> save_decision(storage::Database& database, const ResourceFacts& facts)
{
    return storage::run(database, "UPDATE _resources SET rows = ?2, held = ?3 WHERE resource = ?1", facts.name,
                        facts.rows, facts.held);
}

namespace {

// Removes up to the first row that is new enough, by number: a clock that was set back must not leave a gap. With ?2 =
// 1 what a named consumer has not acknowledged stays.
constexpr const char* forget_changes_by_age = R"sql(
    DELETE FROM _changes WHERE seq < coalesce(
        (SELECT min(seq) FROM (SELECT seq, seen_at FROM _changes ORDER BY seq LIMIT 1000) WHERE seen_at >= ?1),
        (SELECT max(seq) + 1 FROM (SELECT seq FROM _changes ORDER BY seq LIMIT 1000)))
    AND (?2 = 0 OR seq <= coalesce((SELECT min(seq) FROM _feed_consumers), 9223372036854775807))
)sql";
constexpr const char* forget_changes_by_number = R"sql(
    DELETE FROM _changes WHERE seq IN (SELECT seq FROM _changes ORDER BY seq LIMIT 1000)
        AND seq <= (SELECT max(seq) FROM _changes) - ?1
)sql";

// Removes in batches until none is left.
template <typename... Values>
Result<void> remove_all(storage::Database& database, const char* batch, const Values&... values)
{
    do {
        SHELFD_TRY(storage::run(database, batch, values...));
    } while (database.changes() > 0);
    return {};
}

Result<void> forget_changes(storage::Database& database, const ChangeLimits& limits, Instant now)
{
    SHELFD_TRY(remove_all(database, forget_changes_by_age, (now - limits.keep_for_consumers()).to_text(), false));
    SHELFD_TRY(remove_all(database, forget_changes_by_age, (now - limits.keep).to_text(), true));
    return limits.max_rows ? remove_all(database, forget_changes_by_number, *limits.max_rows) : Result<void>();
}

}  // namespace

Result<void> forget_old(storage::Database& database, const MirrorOptions& limits, Instant now)
{
    // Rows are ordered by time, so only the oldest are examined, again after each removal. Polls that found nothing
    // leave rows, too.
    constexpr const char* batches[] = {
        R"sql(DELETE FROM _runs WHERE rowid IN (SELECT rowid FROM _runs ORDER BY rowid LIMIT 100)
              AND finished_at < ?)sql",
        // The proofs that stay must not block the others.
        R"sql(DELETE FROM _proofs WHERE rowid IN (SELECT rowid FROM _proofs ORDER BY rowid
                  LIMIT 100 + (SELECT count(*) FROM _slices))
              AND proven_at < ?
              AND NOT EXISTS (SELECT 1 FROM _resources r WHERE r.resource = _proofs.resource
                  AND r.proven_as_of = _proofs.as_of)
              AND NOT EXISTS (SELECT 1 FROM _slices s WHERE s.proof_run = _proofs.run_id
                  AND s.resource = _proofs.resource))sql",
        "DELETE FROM _drift WHERE last_seen < ?",
    };
    for (const char* batch : batches) {
        SHELFD_TRY(remove_all(database, batch, (now - limits.retention).to_text()));
    }
    return forget_changes(database, limits.change_limits, now);
}

}  // namespace shelfd::mirror
