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
#include "storage/query.hpp"

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

// Marks lists whose parent is missing with the publication that lacks it, and unmarks those whose parent is back.
Result<void> mark_orphans(storage::Database& database, const std::string& resource, const ParentRows& parents)
{
    const auto names = as_array(parents.keys);
    SHELFD_TRY(storage::run(database, R"sql(
        UPDATE _slices SET orphan_as_of = NULL WHERE resource = ?1 AND orphan_as_of IS NOT NULL
            AND name IN (SELECT value FROM json_each(?2))
    )sql",
                            resource, names));
    return storage::run(database, R"sql(
        UPDATE _slices SET orphan_as_of = ?3 WHERE resource = ?1 AND orphan_as_of IS NULL
            AND name NOT IN (SELECT value FROM json_each(?2))
    )sql",
                        resource, names, parents.lacks_as_of.value_or(Instant()).to_text());
}

// Returns the places of lists without a parent, "3, 17": those first missing in this publication, or those already
// missing in another one.
enum class Seen { once, before };
Result<std::string> orphans(storage::Database& database, const std::string& resource, const ParentRows& parents,
                            Seen seen)
{
    const auto sql =
        fmt::format("SELECT group_concat(first, ', ') FROM _slices WHERE resource = ? AND orphan_as_of {} ?",
                    seen == Seen::once ? "=" : "<>");
    SHELFD_TRY_ASSIGN(places,
                      storage::read_texts(database, sql, resource, parents.lacks_as_of.value_or(Instant()).to_text()));
    return std::move(places.front());
}

// A deleted parent's rows are removed. If several parents, or the last one, are missing with many rows, an answer that
// was empty by mistake would empty this table; so another publication must lack them, too.
Result<bool> must_wait(storage::Database& database, const ResourceFacts& facts, const ListsKept& kept,
                       const std::string& places)
{
    if (places.empty() || facts.rows == 0) {
        return false;
    }
    SHELFD_TRY_ASSIGN(rows,
                      database.prepare(fmt::format("SELECT count(*), count(DISTINCT place) FROM {} WHERE place IN ({})",
                                                   states_of(facts), places)));
    SHELFD_TRY(rows.step());
    const bool several = rows.integer(1) > 1 || kept.parents.keys.empty();
    return several && are_many(static_cast<std::uint64_t>(rows.integer(0)), facts.rows, kept.limits);
}

// Forgets the lists whose rows are removed now. Returns "place IN (…)" for their rows; "" if there are none.
Result<std::string> forget_lists(storage::Database& database, const ResourceFacts& facts, const ListsKept& kept)
{
    SHELFD_TRY(mark_orphans(database, facts.name, kept.parents));
    SHELFD_TRY_ASSIGN(places, orphans(database, facts.name, kept.parents, Seen::before));
    SHELFD_TRY_ASSIGN(others, orphans(database, facts.name, kept.parents, Seen::once));
    SHELFD_TRY_ASSIGN(waits, must_wait(database, facts, kept, others));
    if (!waits && !others.empty()) {
        places += (places.empty() ? "" : ", ") + others;
    }
    if (places.empty()) {
        return places;
    }
    SHELFD_TRY(storage::run(database, fmt::format("DELETE FROM _slices WHERE resource = ? AND first IN ({})", places),
                            facts.name));
    return fmt::format("place IN ({})", places);
}

Result<void> save_counts(storage::Database& database, ResourceFacts& facts)
{
    SHELFD_TRY(count_held(database, facts));
    SHELFD_TRY(save_decision(database, facts));
    const auto candidates = fmt::format("SELECT count(*) FROM {} WHERE {}", states_of(facts), missed_rows);
    return storage::run(database, fmt::format("UPDATE _resources SET candidates = ({}) WHERE resource = ?", candidates),
                        facts.name);
}

}  // namespace

Result<std::uint64_t> drop_other_lists(storage::Database& database, ResourceFacts& facts, const ResourceSpec& spec,
                                       const ListsKept& kept)
{
    SHELFD_TRY_ASSIGN(theirs, forget_lists(database, facts, kept));
    if (theirs.empty() || facts.rows == 0) {
        return 0;
    }
    SHELFD_TRY(forget_held(database, facts, theirs));
    const auto at = kept.now.to_text();
    const auto& start = kept.start;
    ChangeFeed changes(database, facts, facts.as_of ? spec.changes : ChangeDetail::none, start.run_id, at);
    SHELFD_TRY_ASSIGN(gone, remove_list_rows(database, facts, changes, theirs, {spec.keep_deleted, start.run_id, at}));
    if (gone == 0) {
        return 0;
    }
    if (!facts.as_of && spec.changes != ChangeDetail::none) {
        SHELFD_TRY(record_untold(database, facts.name));
    }
    facts.rows -= std::min(facts.rows, gone);
    SHELFD_TRY(save_counts(database, facts));
    SHELFD_TRY(record_decision(database, facts, start, gone));
    return gone;
}

Result<void> record_missed(storage::Database& database, const std::string& resource, const MissedList& missed)
{
    SHELFD_TRY_ASSIGN(number, number_of(database, resource, missed.parent));
    // A list that does not exist, and has no rows here, counts as empty.
    return storage::run(database, R"sql(
        INSERT INTO _slices (resource, first, past, name, as_of, proven_as_of, key_set, rows, asked_at, whole_at, why)
        VALUES (?1, ?2, ?2 + 1, ?3, ?4, ?4, '', 0, ?5, ?5, ?6)
        ON CONFLICT (resource, first, past) DO UPDATE SET
            as_of = CASE rows WHEN 0 THEN coalesce(excluded.as_of, as_of) ELSE as_of END,
            proven_as_of = CASE rows WHEN 0 THEN coalesce(excluded.as_of, proven_as_of) ELSE proven_as_of END,
            asked_at = coalesce(excluded.asked_at, asked_at), whole_at = coalesce(excluded.whole_at, whole_at),
            why = excluded.why
    )sql",
                        resource, number, missed.parent, text_of(missed.empty_as_of), text_of(missed.asked_at),
                        missed.why);
}

Result<void> record_run_so_far(storage::Database& database, const RunRecord& run)
{
    constexpr std::string_view sql = R"sql(
        INSERT INTO _runs (run_id, resource, mode, result, started_at, finished_at, requests, pages, bytes, error,
            reasons)
        VALUES (?1, ?2, ?3, 'failed', ?4, ?5, ?6, ?7, 0, ?8, ?9)
        ON CONFLICT (run_id, resource) DO UPDATE SET finished_at = excluded.finished_at, requests = excluded.requests,
            reasons = excluded.reasons, error = excluded.error
    )sql";
    const auto text = [](const std::string& value) { return value.empty() ? std::nullopt : std::optional(value); };
    return storage::run(database, sql, run.run_id, run.resource, to_string(run.mode), run.started.to_text(),
                        run.finished.to_text(), run.requests, run.pages, text(run.error), text(run.reasons));
}

Result<ListsStanding> standing(storage::Database& database, const std::string& resource,
                               const std::vector<std::string>& parents)
{
    const auto names = as_array(parents);
    ListsStanding lists;
    lists.lists = parents.size();
    const auto add_counts = [&](const storage::Statement& row) {
        const auto asked = static_cast<std::uint64_t>(row.integer(0));
        lists.never_asked = lists.lists - std::min(lists.lists, asked);
        lists.as_of = instant_in(row, 1);
        if (row.integer(3) == 0 && lists.never_asked == 0) {
            lists.proven_as_of = instant_in(row, 2);
        }
        lists.missed = static_cast<std::uint64_t>(row.integer(4));
        lists.stale = static_cast<std::uint64_t>(row.integer(5));
        lists.rows = static_cast<std::uint64_t>(row.integer(6));
        lists.unwalked = static_cast<std::uint64_t>(row.integer(7));
    };
    const auto add_fault = [&](const storage::Statement& row) {
        lists.parent = row.text(0);
        lists.why = row.text(1);
    };
    SHELFD_TRY(storage::each_row(database, R"sql(
        SELECT count(asked_at), min(as_of), min(proven_as_of), count(*) - count(proven_as_of),
            sum(why IS NOT NULL), sum(why IS NOT NULL AND (rows > 0 OR as_of IS NULL)), sum(rows),
            count(*) - count(as_of)
        FROM _slices WHERE resource = ?1 AND name IN (SELECT value FROM json_each(?2))
    )sql",
                                 add_counts, resource, names));
    SHELFD_TRY(storage::each_row(database, R"sql(
        SELECT name, why FROM _slices
        WHERE resource = ?1 AND name IN (SELECT value FROM json_each(?2)) AND why IS NOT NULL
        ORDER BY (rows > 0 OR as_of IS NULL) DESC, first LIMIT 1
    )sql",
                                 add_fault, resource, names));
    return lists;
}

Result<void> save_round(storage::Database& database, const std::string& resource, const ListsStanding& lists,
                        const RoundEnd& end, Instant now)
{
    // The table is as old as its oldest list. Until all lists were walked once, its age is unchanged.
    constexpr std::string_view sql = R"sql(
        UPDATE _resources SET as_of = coalesce(?2, as_of), proven_as_of = coalesce(?3, proven_as_of),
            late_at = CASE WHEN ?4 THEN ?5 ELSE late_at END,
            published_at = CASE WHEN ?2 IS NULL THEN published_at ELSE coalesce(published_at, ?6) END,
            round_at = CASE WHEN ?7 THEN NULL ELSE round_at END, error = ?8
        WHERE resource = ?1
    )sql";
    const bool all_walked = lists.never_asked + lists.unwalked == 0;
    const auto as_of = text_of(!all_walked        ? std::nullopt
                               : lists.lists == 0 ? std::optional(end.parents_as_of)
                                                  : lists.as_of);
    const auto proven = text_of(lists.lists == 0 ? std::optional(end.parents_as_of) : lists.proven_as_of);
    const auto error = end.error.empty() ? std::nullopt : std::optional(end.error);
    const bool up_to_date = all_walked && lists.stale == 0 && end.error.empty();
    return storage::run(database, sql, resource, as_of, proven, up_to_date, text_of(end.late_at), now.to_text(),
                        end.over, error);
}

}  // namespace shelfd::mirror
