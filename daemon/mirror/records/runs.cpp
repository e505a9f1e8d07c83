#include "mirror/records/runs.hpp"

namespace shelfd::mirror {

namespace {

void bind_count(storage::Statement& statement, int parameter, std::uint64_t value)
{
    statement.bind(parameter, static_cast<std::int64_t>(value));
}

void bind_count(storage::Statement& statement, int parameter, const std::optional<std::uint64_t>& value)
{
    if (value) {
        bind_count(statement, parameter, *value);
    } else {
        statement.bind_null(parameter);
    }
}

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
        insert.bind(1, std::string_view(resource)).bind(2, std::string_view(column.name));
        insert.bind(3, std::string_view(column.key)).bind(4, to_string(column.kind));
        insert.bind(5, std::string_view(run_id));
        SHELFD_TRY(insert.run());
    }
    return {};
}

Result<void> record_shapes(storage::Database& database, const std::string& resource, const KeySets& shapes)
{
    SHELFD_TRY_ASSIGN(insert, database.prepare("INSERT INTO _shapes (resource, shape, keys) VALUES (?, ?, ?)"));
    for (const auto& shape : shapes.fresh()) {
        insert.bind(1, std::string_view(resource)).bind(2, shape.number).bind(3, std::string_view(shape.keys));
        SHELFD_TRY(insert.run());
    }
    return {};
}

Result<void> record_drift(storage::Database& database, const std::string& resource, const Columns& columns,
                          const Drifts& drifts, const std::string& run_id, Instant now)
{
    SHELFD_TRY_ASSIGN(insert, database.prepare(R"sql(
        INSERT INTO _drift (resource, "column", expected, found, items, item_key, sample,
            first_run, first_seen, last_run, last_seen)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?8, ?9)
        ON CONFLICT (resource, "column", found) DO UPDATE SET expected = excluded.expected,
            items = items + excluded.items, item_key = excluded.item_key, sample = excluded.sample,
            last_run = excluded.last_run, last_seen = excluded.last_seen
    )sql"));
    const auto at = now.to_text();
    for (const auto& [what, drift] : drifts) {
        if (drift.items == drift.told) {
            continue;
        }
        const Column& column = columns[what.first];
        insert.bind(1, std::string_view(resource)).bind(2, std::string_view(column.name));
        insert.bind(3, to_string(drift.expected)).bind(4, to_string(what.second));
        bind_count(insert, 5, drift.items - drift.told);
        insert.bind(6, std::string_view(drift.item_key)).bind(7, std::string_view(drift.sample));
        insert.bind(8, std::string_view(run_id)).bind(9, std::string_view(at));
        SHELFD_TRY(insert.run());
    }
    return {};
}

Result<void> record_proof(storage::Database& database, const std::string& resource, const PassStart& start,
                          const Proof& proof, std::uint64_t distinct_keys, Instant now)
{
    SHELFD_TRY_ASSIGN(insert, database.prepare(R"sql(
        INSERT INTO _proofs (run_id, resource, kind, complete, as_of, proven_at, count_start, count_end, distinct_keys,
            pages, text)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (run_id, resource) DO UPDATE SET -- lists by parent: one round, one line
            kind = CASE WHEN complete > excluded.complete THEN excluded.kind ELSE kind END,
            complete = min(complete, excluded.complete), proven_at = excluded.proven_at,
            count_start = count_start + excluded.count_start, count_end = count_end + excluded.count_end,
            distinct_keys = distinct_keys + excluded.distinct_keys, pages = pages + excluded.pages,
            text = excluded.text
    )sql"));
    const auto as_of = start.as_of.to_text();
    const auto at = now.to_text();
    const auto text = text_or_null(proof.text);
    insert.bind(1, std::string_view(start.run_id)).bind(2, std::string_view(resource));
    insert.bind(3, std::string_view(proof.kind)).bind(4, std::int64_t{proof.complete ? 1 : 0});
    insert.bind(5, std::string_view(as_of)).bind(6, std::string_view(at));
    bind_count(insert, 7, proof.count_start);
    bind_count(insert, 8, proof.count_end);
    bind_count(insert, 9, distinct_keys);
    bind_count(insert, 10, proof.pages);
    insert.bind(11, text);
    return insert.run();
}

Result<void> record_published(storage::Database& database, const PublishedRun& run)
{
    SHELFD_TRY_ASSIGN(insert, database.prepare(R"sql(
        INSERT INTO _runs (run_id, resource, mode, result, started_at, finished_at, as_of, requests, pages, bytes, rows,
            added, changed, unchanged, deleted, candidates, reasons)
        VALUES (?, ?, ?, 'published', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (run_id, resource) DO UPDATE SET -- lists by parent: one round, one line
            result = excluded.result, finished_at = excluded.finished_at, as_of = coalesce(as_of, excluded.as_of),
            requests = excluded.requests, reasons = excluded.reasons, pages = pages + excluded.pages,
            bytes = bytes + excluded.bytes, rows = excluded.rows, added = coalesce(added, 0) + excluded.added,
            changed = coalesce(changed, 0) + excluded.changed, unchanged = coalesce(unchanged, 0) + excluded.unchanged,
            deleted = coalesce(deleted, 0) + excluded.deleted, candidates = excluded.candidates
    )sql"));
    const auto started = run.start.started.to_text();
    const auto finished = run.finished.to_text();
    const auto as_of = run.start.as_of.to_text();
    insert.bind(1, std::string_view(run.start.run_id)).bind(2, std::string_view(run.resource));
    insert.bind(3, std::string_view(to_string(run.start.mode))).bind(4, std::string_view(started));
    insert.bind(5, std::string_view(finished)).bind(6, std::string_view(as_of));
    const std::uint64_t counts[] = {
        run.proof.requests,    run.pages,           run.bytes,
        run.outcome.rows,      run.outcome.added,   run.outcome.changed,
        run.outcome.unchanged, run.outcome.deleted, run.outcome.candidates,
    };
    int parameter = 7;
    for (const std::uint64_t count : counts) {
        bind_count(insert, parameter++, count);
    }
    const auto reasons = text_or_null(run.proof.reasons);
    insert.bind(parameter, reasons);
    return insert.run();
}

Result<void> record_unpublished(storage::Database& database, const RunRecord& run)
{
    auto insert = database.prepare(R"sql(
        INSERT OR REPLACE INTO _runs (run_id, resource, mode, result, started_at, finished_at, requests, pages, bytes,
            error, reasons)
        VALUES (?, ?, ?, 'failed', ?, ?, ?, ?, 0, ?, ?)
    )sql");
    auto note = database.prepare("UPDATE _resources SET error = ?2 WHERE resource = ?1 AND error IS NOT ?2");
    if (!insert || !note) {
        return insert ? std::move(note).error() : std::move(insert).error();
    }
    const auto started = run.started.to_text();
    const auto finished = run.finished.to_text();
    const auto error = text_or_null(run.error);
    insert->bind(1, std::string_view(run.run_id)).bind(2, std::string_view(run.resource));
    insert->bind(3, std::string_view(to_string(run.mode)));
    insert->bind(4, std::string_view(started)).bind(5, std::string_view(finished));
    bind_count(*insert, 6, run.requests);
    bind_count(*insert, 7, run.pages);
    const auto reasons = text_or_null(run.reasons);
    insert->bind(8, error).bind(9, reasons);
    SHELFD_TRY(insert->run());
    note->bind(1, std::string_view(run.resource)).bind(2, error);
    return note->run();
}

Result<void> save_published(storage::Database& database, const ResourceFacts& facts, const PassStart& start,
                            const Proof& proof, const std::string& key_set, Instant now)
{
    SHELFD_TRY_ASSIGN(update, database.prepare(R"sql(
        UPDATE _resources SET rows = ?2, candidates = ?3, next_ordinal = ?4, integer_key = ?5,
            as_of = coalesce(?6, as_of), proven_as_of = CASE WHEN ?7 THEN coalesce(?6, proven_as_of) ELSE proven_as_of
            END, published_at = ?8, run_id = ?9, held = ?12,
            late_at = CASE WHEN ?6 IS NULL THEN late_at ELSE ?10 END, next_due = coalesce(?11, next_due), error = NULL,
            changes_from = coalesce(?13, changes_from), key_set = coalesce(?14, key_set)
        WHERE resource = ?1
    )sql"));
    // A slice says nothing of the table, but as the last one of a round.
    const bool says = !start.slice || proof.round;
    const auto as_of = says ? std::optional((proof.round ? proof.round->as_of : start.as_of).to_text()) : std::nullopt;
    const bool proven = proof.complete && (!proof.round || proof.round->proven);
    const auto at = now.to_text();
    const auto late_at = proof.late_at ? std::optional(proof.late_at->to_text()) : std::nullopt;
    const auto next_due = proof.next_due ? std::optional(proof.next_due->to_text()) : std::nullopt;
    update.bind(1, std::string_view(facts.name));
    bind_count(update, 2, facts.rows);
    bind_count(update, 3, facts.candidates);
    update.bind(4, facts.next_ordinal);
    if (facts.integer_key) {
        update.bind(5, std::int64_t{*facts.integer_key ? 1 : 0});
    }
    update.bind(6, as_of).bind(7, std::int64_t{proven ? 1 : 0});
    update.bind(8, std::string_view(at)).bind(9, std::string_view(start.run_id));
    const auto changes_from = proof.changes_from ? std::optional(proof.changes_from->to_text()) : std::nullopt;
    update.bind(10, late_at).bind(11, next_due).bind(13, changes_from);
    const auto tells = proof.keys_tell ? key_set : std::string(keys_of_moved_walk);
    const auto whole_set = proof.whole && !start.slice ? std::optional(tells) : std::nullopt;
    update.bind(14, whole_set);
    bind_count(update, 12, facts.held);
    return update.run();
}

Result<void> record_decision(storage::Database& database, const ResourceFacts& facts, const PassStart& start,
                             std::uint64_t deleted)
{
    SHELFD_TRY_ASSIGN(insert, database.prepare(R"sql(
        INSERT OR REPLACE INTO _runs (run_id, resource, mode, result, started_at, finished_at, requests, pages, bytes,
            rows, deleted)
        VALUES (?1, ?2, ?3, 'published', ?4, ?4, 0, 0, 0, ?5, ?6)
    )sql"));
    const auto at = start.started.to_text();
    insert.bind(1, std::string_view(start.run_id)).bind(2, std::string_view(facts.name));
    insert.bind(3, std::string_view(to_string(start.mode))).bind(4, std::string_view(at));
    bind_count(insert, 5, facts.rows);
    bind_count(insert, 6, deleted);
    return insert.run();
}

Result<void> save_decision(storage::Database& database, const ResourceFacts& facts)
{
    SHELFD_TRY_ASSIGN(update, database.prepare("UPDATE _resources SET rows = ?2, held = ?3 WHERE resource = ?1"));
    update.bind(1, std::string_view(facts.name));
    bind_count(update, 2, facts.rows);
    bind_count(update, 3, facts.held);
    return update.run();
}

namespace {

// Up to the first line that is young enough, by its number: a clock that was set back must not tear a hole.
constexpr const char* forget_changes_by_age = R"sql(
    DELETE FROM _changes WHERE seq < coalesce(
        (SELECT min(seq) FROM (SELECT seq, seen_at FROM _changes ORDER BY seq LIMIT 1000) WHERE seen_at >= ?1),
        (SELECT max(seq) + 1 FROM (SELECT seq FROM _changes ORDER BY seq LIMIT 1000)))
)sql";
constexpr const char* forget_changes_by_number = R"sql(
    DELETE FROM _changes WHERE seq IN (SELECT seq FROM _changes ORDER BY seq LIMIT 1000)
        AND seq <= (SELECT max(seq) FROM _changes) - ?1
)sql";

// A batch at a time, until it finds none. `bind` gives the statement its values.
template <typename Bind>
Result<void> remove_all(storage::Database& database, const char* batch, const Bind& bind)
{
    do {
        SHELFD_TRY_ASSIGN(remove, database.prepare(batch));
        bind(remove);
        SHELFD_TRY(remove.run());
    } while (database.changes() > 0);
    return {};
}

Result<void> remove_before(storage::Database& database, const char* batch, Instant oldest)
{
    const auto at = oldest.to_text();
    return remove_all(database, batch, [&at](auto& remove) { remove.bind(1, std::string_view(at)); });
}

Result<void> forget_changes(storage::Database& database, const ChangeLimits& limits, Instant now)
{
    auto aged = remove_before(database, forget_changes_by_age, now - limits.keep);
    if (!aged || !limits.max_rows) {
        return aged;
    }
    return remove_all(database, forget_changes_by_number,
                      [&limits](auto& remove) { bind_count(remove, 1, *limits.max_rows); });
}

}  // namespace

Result<void> forget_old(storage::Database& database, const MirrorOptions& limits, Instant now)
{
    // Lines are in the order of time, so a look at the oldest few is enough, again where any of them went: polls that
    // found nothing leave theirs.
    constexpr const char* batches[] = {
        R"sql(DELETE FROM _runs WHERE rowid IN (SELECT rowid FROM _runs ORDER BY rowid LIMIT 100)
              AND finished_at < ?)sql",
        // Those that stay must not stand in the way of the rest.
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
        SHELFD_TRY(remove_before(database, batch, now - limits.retention));
    }
    return forget_changes(database, limits.change_limits, now);
}

}  // namespace shelfd::mirror
