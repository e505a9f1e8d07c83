#include "mirror/records/resource.hpp"

#include "mirror/columns/columns.hpp"
#include "mirror/columns/key_sets.hpp"
#include "mirror/file/freshness_view.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/json/instants.hpp"
#include "mirror/values/names.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace shelfd::mirror {

namespace {

// Words of the column `blocked`.
std::optional<std::string_view> word_of(Blocked blocked)
{
    switch (blocked) {
    case Blocked::none: return std::nullopt;
    case Blocked::paused: return "paused";
    case Blocked::wrong_library: return "wrong_library";
    case Blocked::needs_person: return "needs_person";
    case Blocked::forbidden: return "forbidden";
    }
    std::abort();
}

}  // namespace

Result<std::string> newest_position(storage::Database& database)
{
    SHELFD_TRY_ASSIGN(positions, storage::read_texts(database, R"sql(
        SELECT m.value || ':' || n.seq || coalesce('.' || (SELECT max(load) FROM _untold u WHERE u.seq = n.seq), '')
        FROM _meta m, (SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = '_changes'), 0) AS seq) AS n
        WHERE m.key = 'feed'
    )sql"));
    return positions.empty() ? std::string() : std::move(positions.front());
}

std::optional<std::int64_t> whole_seconds(Duration duration)
{
    if (duration <= Duration::zero()) {
        return std::nullopt;
    }
    return std::chrono::ceil<std::chrono::seconds>(duration).count();
}

Result<void> count_held(storage::Database& database, ResourceFacts& facts)
{
    return storage::each_row(
        database, "SELECT count(*) - total(kept), total(kept) FROM _held WHERE resource = ?",
        [&facts](const storage::Statement& row) {
            facts.held = static_cast<std::uint64_t>(row.integer(0));
            facts.kept = static_cast<std::uint64_t>(row.integer(1));
        },
        facts.name);
}

Result<std::optional<ResourceFacts>> load_facts(storage::Database& database, const std::string& resource)
{
    SHELFD_TRY_ASSIGN(row, database.prepare(R"sql(
        SELECT "key", rows, candidates, next_ordinal, integer_key,
            CASE WHEN detail_of IS NULL THEN published_at ELSE as_of END, detail_of, axis, as_of, declared_at,
            proven_as_of, compared_at
        FROM _resources WHERE resource = ?
    )sql"));
    row.bind(1, std::string_view(resource));
    SHELFD_TRY_ASSIGN(found, row.step());
    if (!found) {
        return std::optional<ResourceFacts>();
    }
    ResourceFacts facts;
    facts.name = resource;
    facts.key = read_keys(row.text(0)).value_or(std::vector<std::string>());
    facts.rows = static_cast<std::uint64_t>(row.integer(1));
    facts.candidates = static_cast<std::uint64_t>(row.integer(2));
    facts.next_ordinal = row.integer(3);
    if (!row.is_null(4)) {
        facts.integer_key = row.integer(4) != 0;
    }
    facts.published = !row.is_null(5);
    facts.detail_of = row.text(6);
    facts.axis = row.text(7);
    facts.as_of = instant_in(row, 8);
    facts.declared_at = instant_in(row, 9).value_or(Instant());
    facts.proven_as_of = instant_in(row, 10);
    facts.compared_at = instant_in(row, 11);
    SHELFD_TRY(count_held(database, facts));
    return std::optional(std::move(facts));
}

Result<void> save_state(storage::Database& database, const std::string& resource, const ResourceState& state,
                        Instant now)
{
    constexpr std::string_view sql = R"sql(
        UPDATE _resources SET since = CASE
                WHEN ?2 IS NULL OR ?4 IS NOT NULL THEN ?4
                WHEN blocked IS ?2 THEN since
                ELSE ?5 END,
            blocked = ?2, why = ?3, cause = ?7, next_due = coalesce(?6, next_due),
            error = CASE WHEN ?8 THEN NULL ELSE error END
        WHERE resource = ?1 AND NOT (blocked IS ?2 AND why IS ?3 AND cause IS ?7
            AND (since IS ?4 OR (?4 IS NULL AND ?2 IS NOT NULL)) AND (?6 IS NULL OR next_due IS ?6)
            AND (error IS NULL OR NOT ?8))
    )sql";
    const auto why = state.why.empty() ? std::nullopt : std::optional(state.why);
    const auto cause = why ? std::optional(std::string_view(to_string(state.cause))) : std::nullopt;
    return storage::run(database, sql, resource, word_of(state.blocked), why, text_of(state.since), now.to_text(),
                        text_of(state.next_due), cause, state.forgets_error);
}

Result<std::optional<ResourceSummary>> summarise(storage::Database& database, const std::string& resource)
{
    static const auto sql = fmt::format(R"sql(
        SELECT s.state, s.rows, s.as_of, s.proven_as_of, s.late_at, s.why, r.next_due, r.since,
            r.candidates, run.started_at, s.held, s.complete_from, s.complete_to,
            strftime('%Y-%m-%dT%H:%M:%S.000000Z', CAST(strftime('%s', coalesce(r.proven_as_of, r.declared_at))
                AS INTEGER) + r.proven_late_after, 'unixepoch'),
            CASE WHEN s.held > 0 THEN (SELECT min(h.since) FROM _held h WHERE h.resource = s.resource AND NOT h.kept)
                END,
            run.run_id, run.added, run.changed, run.deleted,
            CASE WHEN r.why IS NOT NULL THEN r.cause END,
            CASE WHEN s.trouble IS NULL THEN s.lists_walked END,
            CASE WHEN s.trouble IS NULL AND s.lists_walked IS NULL AND s.remark IS NULL THEN 'shelfctl schema '
                || (SELECT value FROM _meta WHERE key = 'library') || ' --retype ' || s.resource || '.'
                || s.digits_column END,
            CASE WHEN run.mode = 'full' THEN coalesce(json_extract(run.reasons, '$.page'), 0)
                + coalesce(json_extract(run.reasons, '$.closing'), 0) END
        FROM ({}) AS s JOIN _resources r ON r.resource = s.resource
            LEFT JOIN _runs run ON run.run_id = r.run_id AND run.resource = r.resource
    )sql",
                                        standing_of_one());
    SHELFD_TRY_ASSIGN(rows, database.prepare(sql));
    rows.bind(1, std::string_view(resource));
    SHELFD_TRY_ASSIGN(row, rows.step());
    if (!row) {
        return std::optional<ResourceSummary>();
    }
    ResourceSummary summary;
    summary.resource = resource;
    summary.state = parse_table_state(rows.text(0)).value_or(TableState::filling);
    summary.rows = static_cast<std::uint64_t>(rows.integer(1));
    summary.as_of = instant_in(rows, 2);
    summary.proven_as_of = instant_in(rows, 3);
    summary.late_at = instant_in(rows, 4);
    summary.why = rows.text(5);
    summary.next_due = instant_in(rows, 6);
    summary.since = instant_in(rows, 7);
    summary.candidates = static_cast<std::uint64_t>(rows.integer(8));
    summary.last_started = instant_in(rows, 9);
    summary.held = static_cast<std::uint64_t>(rows.integer(10));
    summary.complete_from = instant_in(rows, 11);
    summary.complete_to = instant_in(rows, 12);
    summary.proven_late_at = instant_in(rows, 13);
    summary.held_since = instant_in(rows, 14);
    if (!rows.is_null(15)) {
        const auto count = [&rows](int column) { return static_cast<std::uint64_t>(rows.integer(column)); };
        summary.last_run = RunCounts{std::string(rows.text(15)), count(16), count(17), count(18)};
    }
    summary.cause = parse_trouble_source(rows.text(19)).value_or(TroubleSource::service);
    if (!rows.is_null(20)) {
        summary.lists_walked = static_cast<std::uint64_t>(rows.integer(20));
    }
    summary.cure = rows.text(21);
    if (!rows.is_null(22)) {
        summary.full_requests = static_cast<std::uint64_t>(rows.integer(22));
    }
    SHELFD_TRY_ASSIGN(position, newest_position(database));
    summary.feed_position = std::move(position);
    return std::optional(std::move(summary));
}

}  // namespace shelfd::mirror
