#include "mirror/resource_facts.hpp"

#include "mirror/columns.hpp"
#include "mirror/deleted_rows.hpp"
#include "mirror/held_rows.hpp"
#include "mirror/instants.hpp"
#include "mirror/names.hpp"
#include "mirror/schema.hpp"
#include "mirror/shapes.hpp"
#include "mirror/starting_over.hpp"
#include "mirror/untold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace shelfd::mirror {

namespace {

// "": nothing keeps it.
const char* word_of(Blocked blocked)
{
    switch (blocked) {
    case Blocked::none: return "";
    case Blocked::paused: return "paused";
    case Blocked::wrong_library: return "wrong_library";
    case Blocked::needs_person: return "needs_person";
    case Blocked::forbidden: return "forbidden";
    }
    std::abort();
}

void bind_optional(storage::Statement& statement, int parameter, std::optional<std::int64_t> value)
{
    if (value) {
        statement.bind(parameter, *value);
    } else {
        statement.bind_null(parameter);
    }
}

Result<std::vector<std::string>> excluded_now(storage::Database& database, const std::string& resource)
{
    auto text = read_value(database, "SELECT exclude FROM _resources WHERE resource = ?", resource);
    if (!text) {
        return std::move(text).error();
    }
    return *text ? read_keys(**text).value_or(std::vector<std::string>()) : std::vector<std::string>();
}

// Than the table was filled without. Earlier versions did not take a dot in the name of a member for part of it, and
// have stored such members.
Result<bool> excludes_more(storage::Database& database, const ResourceSpec& spec)
{
    const auto excluded = excluded_now(database, spec.name);
    auto column = database.prepare(R"sql(SELECT 1 FROM _columns WHERE resource = ? AND "key" = ?)sql");
    if (!excluded || !column) {
        return excluded ? std::move(column).error() : excluded.error();
    }
    for (const auto& path : spec.exclude) {
        column->reset();
        column->bind(1, std::string_view(spec.name)).bind(2, std::string_view(path));
        auto stored = column->step();
        if (!stored || *stored || std::find(excluded->begin(), excluded->end(), path) == excluded->end()) {
            return stored ? Result<bool>(true) : std::move(stored);
        }
    }
    return false;
}

Result<void> make_line(storage::Database& database, const ResourceSpec& spec, Instant now)
{
    auto insert = database.prepare(R"sql(
        INSERT INTO _resources (resource, "key", retired, declared_at, rows, held, candidates, next_ordinal, detail_of,
            axis)
        VALUES (?, ?, 0, ?, 0, 0, 0, 0, ?, ?)
    )sql");
    if (!insert) {
        return std::move(insert).error();
    }
    const auto key = write_keys(spec.key);
    const auto at = now.to_text();
    const auto detail_of = spec.detail_of.empty() ? std::nullopt : std::optional(spec.detail_of);
    insert->bind(1, std::string_view(spec.name)).bind(2, std::string_view(key)).bind(3, std::string_view(at));
    insert->bind(4, detail_of);
    const auto axis = spec.axis.empty() ? std::nullopt : std::optional(spec.axis);
    insert->bind(5, axis);
    if (auto done = insert->run(); !done) {
        return done;
    }
    return database.execute(
        fmt::format("CREATE TABLE {} ({})", identifier(spec.name), Columns(spec.key).definition(spec.detail_of)));
}

// Whoever read the tables while this one was not configured does not have the rows that it kept.
Result<void> note_return(storage::Database& database, const ResourceSpec& spec)
{
    const auto returns =
        read_value(database, "SELECT 1 FROM _resources WHERE resource = ? AND retired", spec.name);
    if (!returns) {
        return returns.error();
    }
    return *returns && spec.changes != ChangeDetail::none ? note_untold(database, spec.name) : Result<void>();
}

Result<void> update_line(storage::Database& database, const ResourceSpec& spec)
{
    auto update = database.prepare(R"sql(
        UPDATE _resources SET retired = 0, late_after = ?2, proven_late_after = ?3, exclude = ?4, begins_at = ?5,
            late_at = CASE WHEN late_after IS NOT ?2 THEN NULL ELSE late_at END -- said under another schedule
        WHERE resource = ?1 AND (retired OR late_after IS NOT ?2 OR proven_late_after IS NOT ?3
            OR exclude IS NOT ?4 OR begins_at IS NOT ?5)
    )sql");
    if (!update) {
        return std::move(update).error();
    }
    update->bind(1, std::string_view(spec.name));
    bind_optional(*update, 2, whole_seconds(spec.late_after));
    bind_optional(*update, 3, whole_seconds(spec.proven_late_after));
    const auto exclude = spec.exclude.empty() ? std::nullopt : std::optional(write_keys(spec.exclude));
    const auto begins = spec.begins_at ? std::optional(spec.begins_at->to_text()) : std::nullopt;
    update->bind(4, exclude).bind(5, begins);
    return update->run();
}

}  // namespace

std::optional<std::int64_t> whole_seconds(Duration duration)
{
    if (duration <= Duration::zero()) {
        return std::nullopt;
    }
    return std::chrono::ceil<std::chrono::seconds>(duration).count();
}

Result<std::optional<ResourceFacts>> load_facts(storage::Database& database, const std::string& resource)
{
    auto row = database.prepare(R"sql(
        SELECT "key", rows, candidates, next_ordinal, integer_key,
            CASE WHEN detail_of IS NULL THEN published_at ELSE as_of END, detail_of, axis, as_of, declared_at,
            proven_as_of
        FROM _resources WHERE resource = ?
    )sql");
    if (!row) {
        return std::move(row).error();
    }
    row->bind(1, std::string_view(resource));
    auto found = row->step();
    if (!found) {
        return std::move(found).error();
    }
    if (!*found) {
        return std::optional<ResourceFacts>();
    }
    ResourceFacts facts;
    facts.name = resource;
    facts.key = read_keys(row->text(0)).value_or(std::vector<std::string>());
    facts.rows = static_cast<std::uint64_t>(row->integer(1));
    facts.candidates = static_cast<std::uint64_t>(row->integer(2));
    facts.next_ordinal = row->integer(3);
    if (!row->is_null(4)) {
        facts.integer_key = row->integer(4) != 0;
    }
    facts.published = !row->is_null(5);
    facts.detail_of = row->text(6);
    facts.axis = row->text(7);
    facts.as_of = instant_in(*row, 8);
    facts.declared_at = instant_in(*row, 9).value_or(Instant());
    facts.proven_as_of = instant_in(*row, 10);
    if (auto counted = count_held(database, facts); !counted) {
        return std::move(counted).error();
    }
    return std::optional(std::move(facts));
}

Result<void> declare_resource(storage::Database& database, const ResourceSpec& spec, Instant now,
                              std::optional<std::string>& notice, bool& scrubbed)
{
    auto facts = load_facts(database, spec.name);
    if (!facts) {
        return std::move(facts).error();
    }
    if (*facts && (*facts)->key != spec.key) {
        if (auto gone = start_over(database, spec.name); !gone) {
            return gone;
        }
        notice = fmt::format("the key of {} changed: its table is filled anew", spec.name);
        facts->reset();
    }
    if (*facts && (*facts)->axis != spec.axis) {
        if (auto gone = start_over(database, spec.name); !gone) {
            return gone;
        }
        notice = fmt::format("{} is walked in other parts than before: its table is filled anew", spec.name);
        facts->reset();
    }
    const auto more = excludes_more(database, spec);
    if (!more) {
        return more.error();
    }
    if (*facts && *more) {
        if (auto done = scrub(database, spec.name); !done) {
            return done;
        }
        scrubbed = true;
        notice =
            fmt::format("more of {} is excluded: its rows and changes were wiped, the table is filled anew", spec.name);
        facts->reset();
    }
    if (!*facts) {
        if (auto made = make_line(database, spec, now); !made) {
            return made;
        }
    }
    if (spec.keep_deleted) {
        if (auto there = align_deleted(database, spec.name, spec.name); !there) {
            return there;
        }
    }
    auto noted = note_return(database, spec);
    return noted ? update_line(database, spec) : std::move(noted);
}

Result<void> retire_others(storage::Database& database, std::span<const ResourceSpec> specs)
{
    auto names = database.prepare("SELECT resource FROM _resources WHERE NOT retired");
    auto retire = database.prepare("UPDATE _resources SET retired = 1 WHERE resource = ?");
    if (!names || !retire) {
        return names ? std::move(retire).error() : std::move(names).error();
    }
    std::vector<std::string> gone;
    for (;;) {
        auto row = names->step();
        if (!row) {
            return std::move(row).error();
        }
        if (!*row) {
            break;
        }
        const auto name = names->text(0);
        if (std::none_of(specs.begin(), specs.end(), [&](const auto& spec) { return spec.name == name; })) {
            gone.emplace_back(name);
        }
    }
    for (const auto& name : gone) {
        retire->bind(1, std::string_view(name));
        if (auto done = retire->run(); !done) {
            return done;
        }
    }
    return {};
}

Result<void> save_state(storage::Database& database, const std::string& resource, const ResourceState& state,
                        Instant now)
{
    auto update = database.prepare(R"sql(
        UPDATE _resources SET since = CASE
                WHEN ?2 IS NULL THEN NULL
                WHEN ?4 IS NOT NULL THEN ?4
                WHEN blocked IS ?2 THEN since
                ELSE ?5 END,
            blocked = ?2, why = ?3, next_due = coalesce(?6, next_due)
        WHERE resource = ?1 AND NOT (blocked IS ?2 AND why IS ?3 AND (?4 IS NULL OR since IS ?4)
            AND (?6 IS NULL OR next_due IS ?6))
    )sql");
    if (!update) {
        return std::move(update).error();
    }
    const auto text = [](const std::optional<Instant>& at) {
        return at ? std::optional(at->to_text()) : std::optional<std::string>();
    };
    const auto since = text(state.since);
    const auto next_due = text(state.next_due);
    const auto at = now.to_text();
    update->bind(1, std::string_view(resource));
    if (state.blocked == Blocked::none) {
        update->bind_null(2);
    } else {
        update->bind(2, std::string_view(word_of(state.blocked)));
    }
    if (state.why.empty()) {
        update->bind_null(3);
    } else {
        update->bind(3, std::string_view(state.why));
    }
    update->bind(4, since).bind(5, std::string_view(at)).bind(6, next_due);
    return update->run();
}

Result<std::optional<ResourceSummary>> summarise(storage::Database& database, const std::string& resource)
{
    auto rows = database.prepare(R"sql(
        SELECT f.state, f.rows, f.as_of, f.proven_as_of, f.late_at, f.why, r.next_due, r.since,
            r.candidates, run.started_at, f.held, f.complete_from, f.complete_to,
            strftime('%Y-%m-%dT%H:%M:%S.000000Z', CAST(strftime('%s', coalesce(r.proven_as_of, r.declared_at))
                AS INTEGER) + r.proven_late_after, 'unixepoch'),
            CASE WHEN f.held > 0 THEN (SELECT min(h.since) FROM _held h WHERE h.resource = f.resource AND NOT h.kept)
                END
        FROM freshness f JOIN _resources r ON r.resource = f.resource
            LEFT JOIN _runs run ON run.run_id = r.run_id AND run.resource = r.resource
        WHERE f.resource = ?
    )sql");
    if (!rows) {
        return std::move(rows).error();
    }
    rows->bind(1, std::string_view(resource));
    auto row = rows->step();
    if (!row || !*row) {
        return row ? Result<std::optional<ResourceSummary>>(std::nullopt) : std::move(row).error();
    }
    ResourceSummary summary;
    summary.resource = resource;
    summary.state = rows->text(0);
    summary.rows = static_cast<std::uint64_t>(rows->integer(1));
    summary.as_of = instant_in(*rows, 2);
    summary.proven_as_of = instant_in(*rows, 3);
    summary.late_at = instant_in(*rows, 4);
    summary.why = rows->text(5);
    summary.next_due = instant_in(*rows, 6);
    summary.since = instant_in(*rows, 7);
    summary.candidates = static_cast<std::uint64_t>(rows->integer(8));
    summary.last_started = instant_in(*rows, 9);
    summary.held = static_cast<std::uint64_t>(rows->integer(10));
    summary.complete_from = instant_in(*rows, 11);
    summary.complete_to = instant_in(*rows, 12);
    summary.proven_late_at = instant_in(*rows, 13);
    summary.held_since = instant_in(*rows, 14);
    return std::optional(std::move(summary));
}

}  // namespace shelfd::mirror
