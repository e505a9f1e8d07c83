#include "mirror/lists/rounds.hpp"

#include "mirror/deletions/held_rows.hpp"
#include "mirror/deletions/row_deletions.hpp"
#include "mirror/details/details.hpp"
#include "mirror/json/instants.hpp"
#include "mirror/json/text.hpp"
#include "mirror/lists/parents.hpp"
#include "mirror/records/row_state_sql.hpp"
#include "mirror/records/runs.hpp"
#include "mirror/records/slices.hpp"
#include "mirror/rows/change_feed.hpp"
#include "mirror/rows/untold.hpp"
#include "mirror/values/lists.hpp"
#include "mirror/values/names.hpp"
#include "mirror/values/specs.hpp"
#include "mirror/values/standing.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::mirror {
namespace {

// A JSON array of texts, for `json_each`.
std::string as_array(const std::vector<std::string>& names)
{
    std::string out;
    for (const auto& name : names) {
        out += (out.empty() ? "[" : ",") + quoted_json(name);
    }
    return out.empty() ? "[]" : out + "]";
}

// Lists without a parent are marked with the publication that lacks it, and lists whose parent is back are not any
// more.
Result<void> mark_orphans(storage::Database& database, const std::string& resource, const ParentRows& parents)
{
    auto back = database.prepare(R"sql(
        UPDATE _slices SET orphan_as_of = NULL WHERE resource = ?1 AND orphan_as_of IS NOT NULL
            AND name IN (SELECT value FROM json_each(?2))
    )sql");
    auto gone = database.prepare(R"sql(
        UPDATE _slices SET orphan_as_of = ?3 WHERE resource = ?1 AND orphan_as_of IS NULL
            AND name NOT IN (SELECT value FROM json_each(?2))
    )sql");
    if (!back || !gone) {
        return back ? std::move(gone).error() : std::move(back).error();
    }
    const auto names = as_array(parents.keys);
    const auto lacks = parents.lacks_as_of.value_or(Instant()).to_text();
    back->bind(1, std::string_view(resource)).bind(2, std::string_view(names));
    gone->bind(1, std::string_view(resource)).bind(2, std::string_view(names)).bind(3, std::string_view(lacks));
    auto done = back->run();
    return done ? gone->run() : std::move(done);
}

// The places of lists without a parent: "3, 17". Those of `seen` are orphans of this publication, or of another one
// too.
enum class Seen { once, before };
Result<std::string> orphans(storage::Database& database, const std::string& resource, const ParentRows& parents,
                            Seen seen)
{
    SHELFD_TRY_ASSIGN(places,
                      database.prepare(fmt::format(
                          "SELECT group_concat(first, ', ') FROM _slices WHERE resource = ?1 AND orphan_as_of {} ?2",
                          seen == Seen::once ? "=" : "<>")));
    const auto lacks = parents.lacks_as_of.value_or(Instant()).to_text();
    places.bind(1, std::string_view(resource)).bind(2, std::string_view(lacks));
    SHELFD_TRY(places.step());
    return std::string(places.text(0));
}

// A parent that goes takes its rows along. Where several go, or the last, and many rows with them, one answer that was
// empty by mistake would empty this table: then another publication must lack them too.
Result<bool> must_wait(storage::Database& database, const ResourceFacts& facts, const ListsKept& kept,
                       const std::string& places)
{
    if (places.empty()) {
        return false;
    }
    SHELFD_TRY_ASSIGN(rows,
                      database.prepare(fmt::format("SELECT count(*), count(DISTINCT place) FROM {} WHERE place IN ({})",
                                                   states_of(facts), places)));
    SHELFD_TRY(rows.step());
    const bool several = rows.integer(1) > 1 || kept.parents.keys.empty();
    return several && are_many(static_cast<std::uint64_t>(rows.integer(0)), facts.rows, kept.limits);
}

// The lists whose rows go now are forgotten; "place IN (…)" of their rows, "" where there is none.
Result<std::string> forget_lists(storage::Database& database, const ResourceFacts& facts, const ListsKept& kept)
{
    SHELFD_TRY(mark_orphans(database, facts.name, kept.parents));
    auto places = orphans(database, facts.name, kept.parents, Seen::before);
    auto others = orphans(database, facts.name, kept.parents, Seen::once);
    if (!places || !others) {
        return places ? std::move(others).error() : std::move(places).error();
    }
    SHELFD_TRY_ASSIGN(waits, facts.rows == 0 ? Result<bool>(false) : must_wait(database, facts, kept, *others));
    if (!waits && !others->empty()) {
        *places += (places->empty() ? "" : ", ") + *others;
    }
    if (places->empty()) {
        return places;
    }
    SHELFD_TRY(database.execute(
        fmt::format("DELETE FROM _slices WHERE resource = '{}' AND first IN ({})", facts.name, *places)));
    return fmt::format("place IN ({})", *places);
}

Result<void> save_counts(storage::Database& database, ResourceFacts& facts)
{
    SHELFD_TRY(count_held(database, facts));
    SHELFD_TRY(save_decision(database, facts));
    return database.execute(fmt::format("UPDATE _resources SET candidates = (SELECT count(*) FROM {} WHERE {}) "
                                        "WHERE resource = '{}'",
                                        states_of(facts), missed_rows, facts.name));
}

}  // namespace

Result<std::uint64_t> drop_other_lists(storage::Database& database, ResourceFacts& facts, const ResourceSpec& spec,
                                       const ListsKept& kept)
{
    auto theirs = forget_lists(database, facts, kept);
    if (!theirs || theirs->empty() || facts.rows == 0) {
        return theirs ? Result<std::uint64_t>(0) : std::move(theirs).error();
    }
    SHELFD_TRY(forget_held(database, facts, *theirs));
    const auto at = kept.now.to_text();
    const auto& start = kept.start;
    ChangeFeed changes(database, facts, facts.as_of ? spec.changes : ChangeDetail::none, start.run_id, at);
    auto gone = remove_list_rows(database, facts, changes, *theirs, {spec.keep_deleted, start.run_id, at});
    if (!gone || *gone == 0) {
        return gone;
    }
    if (!facts.as_of && spec.changes != ChangeDetail::none) {
        SHELFD_TRY(record_untold(database, facts.name));
    }
    facts.rows -= std::min(facts.rows, *gone);
    SHELFD_TRY(save_counts(database, facts));
    SHELFD_TRY(record_decision(database, facts, start, *gone));
    return gone;
}

Result<void> record_missed(storage::Database& database, const std::string& resource, const MissedList& missed)
{
    auto number = number_of(database, resource, missed.parent);
    // A list that is not there, of which there is no row, is as good as an empty one.
    auto put = database.prepare(R"sql(
        INSERT INTO _slices (resource, first, past, name, as_of, proven_as_of, key_set, rows, asked_at, whole_at, why)
        VALUES (?1, ?2, ?2 + 1, ?3, ?4, ?4, '', 0, ?5, ?5, ?6)
        ON CONFLICT (resource, first, past) DO UPDATE SET
            as_of = CASE rows WHEN 0 THEN coalesce(excluded.as_of, as_of) ELSE as_of END,
            proven_as_of = CASE rows WHEN 0 THEN coalesce(excluded.as_of, proven_as_of) ELSE proven_as_of END,
            asked_at = coalesce(excluded.asked_at, asked_at), whole_at = coalesce(excluded.whole_at, whole_at),
            why = excluded.why
    )sql");
    if (!number || !put) {
        return number ? std::move(put).error() : std::move(number).error();
    }
    const auto empty_as_of = text_of(missed.empty_as_of);
    const auto asked_at = text_of(missed.asked_at);
    put->bind(1, std::string_view(resource)).bind(2, *number).bind(3, std::string_view(missed.parent));
    put->bind(4, empty_as_of).bind(5, asked_at).bind(6, std::string_view(missed.why));
    return put->run();
}

Result<void> record_run_so_far(storage::Database& database, const RunRecord& run)
{
    SHELFD_TRY_ASSIGN(insert, database.prepare(R"sql(
        INSERT INTO _runs (run_id, resource, mode, result, started_at, finished_at, requests, pages, bytes, error,
            reasons)
        VALUES (?1, ?2, ?3, 'failed', ?4, ?5, ?6, ?7, 0, ?8, ?9)
        ON CONFLICT (run_id, resource) DO UPDATE SET finished_at = excluded.finished_at, requests = excluded.requests,
            reasons = excluded.reasons, error = excluded.error
    )sql"));
    const auto started = run.started.to_text();
    const auto finished = run.finished.to_text();
    const auto text = [](const std::string& value) { return value.empty() ? std::nullopt : std::optional(value); };
    const auto error = text(run.error);
    const auto reasons = text(run.reasons);
    insert.bind(1, std::string_view(run.run_id)).bind(2, std::string_view(run.resource));
    insert.bind(3, std::string_view(to_string(run.mode)));
    insert.bind(4, std::string_view(started)).bind(5, std::string_view(finished));
    insert.bind(6, static_cast<std::int64_t>(run.requests)).bind(7, static_cast<std::int64_t>(run.pages));
    insert.bind(8, error).bind(9, reasons);
    return insert.run();
}

Result<ListsStanding> standing(storage::Database& database, const std::string& resource,
                               const std::vector<std::string>& parents)
{
    auto counts = database.prepare(R"sql(
        SELECT count(asked_at), min(as_of), min(proven_as_of), count(*) - count(proven_as_of),
            sum(why IS NOT NULL), sum(why IS NOT NULL AND (rows > 0 OR as_of IS NULL)), sum(rows),
            count(*) - count(as_of)
        FROM _slices WHERE resource = ?1 AND name IN (SELECT value FROM json_each(?2))
    )sql");
    auto fault = database.prepare(R"sql(
        SELECT name, why FROM _slices
        WHERE resource = ?1 AND name IN (SELECT value FROM json_each(?2)) AND why IS NOT NULL
        ORDER BY (rows > 0 OR as_of IS NULL) DESC, first LIMIT 1
    )sql");
    if (!counts || !fault) {
        return counts ? std::move(fault).error() : std::move(counts).error();
    }
    const auto names = as_array(parents);
    counts->bind(1, std::string_view(resource)).bind(2, std::string_view(names));
    SHELFD_TRY(counts->step());
    ListsStanding lists;
    lists.lists = parents.size();
    const auto asked = static_cast<std::uint64_t>(counts->integer(0));
    lists.never_asked = lists.lists - std::min(lists.lists, asked);
    lists.as_of = instant_in(*counts, 1);
    if (counts->integer(3) == 0 && lists.never_asked == 0) {
        lists.proven_as_of = instant_in(*counts, 2);
    }
    lists.missed = static_cast<std::uint64_t>(counts->integer(4));
    lists.stale = static_cast<std::uint64_t>(counts->integer(5));
    lists.rows = static_cast<std::uint64_t>(counts->integer(6));
    lists.unwalked = static_cast<std::uint64_t>(counts->integer(7));
    fault->bind(1, std::string_view(resource)).bind(2, std::string_view(names));
    auto row = fault->step();
    if (row && *row) {
        lists.parent = fault->text(0);
        lists.why = fault->text(1);
    }
    return row ? Result<ListsStanding>(std::move(lists)) : std::move(row).error();
}

Result<void> save_round(storage::Database& database, const std::string& resource, const ListsStanding& lists,
                        const RoundEnd& end, Instant now)
{
    // The table is as old as its oldest list. Before all were walked once, it is as old as before.
    SHELFD_TRY_ASSIGN(update, database.prepare(R"sql(
        UPDATE _resources SET as_of = coalesce(?2, as_of), proven_as_of = coalesce(?3, proven_as_of),
            late_at = CASE WHEN ?4 THEN ?5 ELSE late_at END,
            published_at = CASE WHEN ?2 IS NULL THEN published_at ELSE coalesce(published_at, ?6) END,
            round_at = CASE WHEN ?7 THEN NULL ELSE round_at END, error = ?8
        WHERE resource = ?1
    )sql"));
    const bool all_walked = lists.never_asked + lists.unwalked == 0;
    const auto as_of = text_of(!all_walked        ? std::nullopt
                               : lists.lists == 0 ? std::optional(end.parents_as_of)
                                                  : lists.as_of);
    const auto proven = text_of(lists.lists == 0 ? std::optional(end.parents_as_of) : lists.proven_as_of);
    const auto late_at = text_of(end.late_at);
    const auto at = now.to_text();
    const auto error = end.error.empty() ? std::nullopt : std::optional(end.error);
    const bool up_to_date = all_walked && lists.stale == 0 && end.error.empty();
    update.bind(1, std::string_view(resource)).bind(2, as_of).bind(3, proven);
    update.bind(4, std::int64_t{up_to_date ? 1 : 0}).bind(5, late_at).bind(6, std::string_view(at));
    update.bind(7, std::int64_t{end.over ? 1 : 0}).bind(8, error);
    return update.run();
}

}  // namespace shelfd::mirror
