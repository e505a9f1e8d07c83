#include "mirror/records/slices.hpp"

#include "mirror/json/instants.hpp"
#include "mirror/json/object.hpp"
#include "mirror/json/text.hpp"
#include "mirror/records/departed_rows.hpp"
#include "mirror/records/row_state_sql.hpp"
#include "mirror/values/names.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::mirror {
namespace {

// False for a window that was never walked and only has a problem.
constexpr const char* was_walked = "(key_set <> '' OR trouble IS NULL)";

}  // namespace

Result<std::vector<SliceFacts>> load_slices(storage::Database& database, const std::string& resource)
{
    SHELFD_TRY_ASSIGN(departed, newest_departure(database, resource));
    std::vector<SliceFacts> slices;
    const auto add = [&](const storage::Statement& rows) {
        auto& slice = slices.emplace_back();
        slice.name = rows.text(0);
        slice.first = rows.integer(1);
        slice.past = rows.integer(2);
        slice.as_of = instant_in(rows, 3);
        slice.proven_as_of = instant_in(rows, 4);
        slice.key_set = rows.text(5);
        slice.rows = static_cast<std::uint64_t>(rows.integer(6));
        slice.asked_at = instant_in(rows, 7);
        slice.whole_at = instant_in(rows, 8);
        slice.changes_from = instant_in(rows, 9);
        slice.why = rows.text(10);
        slice.proof_number = rows.integer(11);
        slice.trouble = rows.text(12);
        slice.sought = slice.proven_as_of && slice.proof_number < departed;
    };
    constexpr std::string_view sql = R"sql(
        SELECT name, first, past, as_of, proven_as_of, key_set, rows, asked_at, whole_at, changes_from, why,
            proof_number, trouble
        FROM _slices WHERE resource = ?
        ORDER BY first, past
    )sql";
    SHELFD_TRY(storage::each_row(database, sql, add, resource));
    return slices;
}

Result<void> save_slice(storage::Database& database, const std::string& resource, const SliceFacts& facts,
                        const std::string& run_id)
{
    // Only one slice is unbounded.
    const auto replaced = fmt::format(R"sql(
        DELETE FROM _slices WHERE resource = ?1 AND past <= ?3 AND (first >= ?2 OR past = {})
            AND NOT (first = ?2 AND past = ?3)
    )sql",
                                      behind_all);
    SHELFD_TRY(storage::run(database, replaced, resource, facts.first, facts.past));
    constexpr std::string_view put = R"sql(
        INSERT INTO _slices (resource, first, past, name, as_of, proven_as_of, proof_run, key_set, rows, asked_at,
            whole_at, changes_from, why, proof_number, compared_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
        ON CONFLICT (resource, first, past) DO UPDATE SET name = excluded.name, as_of = excluded.as_of,
            proven_as_of = coalesce(excluded.proven_as_of, proven_as_of),
            proof_run = coalesce(excluded.proof_run, proof_run),
            key_set = CASE excluded.key_set WHEN '' THEN key_set ELSE excluded.key_set END, rows = excluded.rows,
            asked_at = excluded.asked_at, whole_at = coalesce(excluded.whole_at, whole_at),
            changes_from = coalesce(excluded.changes_from, changes_from), why = excluded.why,
            proof_number = coalesce(excluded.proof_number, proof_number),
            compared_at = coalesce(excluded.compared_at, compared_at)
    )sql";
    const auto proof_run = facts.proven_as_of ? std::optional(run_id) : std::nullopt;
    const auto why = facts.why.empty() ? std::nullopt : std::optional(facts.why);
    const auto proof_number = facts.proof_number > 0 ? std::optional(facts.proof_number) : std::nullopt;
    return storage::run(database, put, resource, facts.first, facts.past, facts.name, text_of(facts.as_of),
                        text_of(facts.proven_as_of), proof_run, facts.key_set, facts.rows, text_of(facts.asked_at),
                        text_of(facts.whole_at), text_of(facts.changes_from), why, proof_number,
                        text_of(facts.compared_at));
}

Result<void> record_trouble(storage::Database& database, const std::string& resource, const SliceTrouble& trouble)
{
    constexpr std::string_view sql = R"sql(
        INSERT INTO _slices (resource, first, past, name, key_set, rows, trouble) SELECT ?1, ?2, ?3, ?4, '', 0, ?5
        WHERE ?5 IS NOT NULL OR EXISTS (SELECT 1 FROM _slices WHERE resource = ?1 AND first = ?2 AND past = ?3)
        ON CONFLICT (resource, first, past) DO UPDATE SET trouble = excluded.trouble
    )sql";
    const auto why = trouble.why.empty() ? std::nullopt : std::optional(trouble.why);
    return storage::run(database, sql, resource, trouble.first, trouble.past, trouble.name, why);
}

Result<void> doubt_slices(storage::Database& database, const std::string& resource, std::int64_t place)
{
    return storage::run(
        database,
        "UPDATE _slices SET proven_as_of = NULL, as_of = NULL WHERE resource = ?1 AND first <= ?2 AND past > ?2",
        resource, place);
}

namespace {

// True if a walked slice meets `condition`.
template <typename... Values>
Result<bool> is_any(storage::Database& database, const char* condition, const Values&... values)
{
    const auto sql = fmt::format("SELECT EXISTS (SELECT 1 FROM _slices WHERE {} AND {})", condition, was_walked);
    SHELFD_TRY_ASSIGN(found, storage::read_number(database, sql, values...));
    return found != 0;
}

}  // namespace

Result<bool> has_slice(storage::Database& database, const std::string& resource, std::int64_t place)
{
    return is_any(database, "resource = ?1 AND first <= ?2 AND past > ?2", resource, place);
}

Result<bool> is_known(storage::Database& database, const std::string& resource, const Slice& slice)
{
    return is_any(database, "resource = ? AND first < ? AND past > ?", resource, slice.past, slice.first);
}

Result<bool> was_whole(storage::Database& database, const std::string& resource, const Slice& slice)
{
    return is_any(database, "resource = ? AND first = ? AND whole_at IS NOT NULL", resource, slice.first);
}

// A slice walked before its end proves nothing about later rows, and one that a row may have entered since then may
// lack it.
Completeness complete_range(const std::vector<SliceFacts>& slices, Sought sought, std::int64_t since)
{
    struct Range {
        std::int64_t from;
        Instant to;
    };
    std::vector<Range> proven;
    for (const auto& slice : slices) {
        const bool counts = sought == Sought::counts || (!slice.sought && slice.proof_number >= since);
        const bool is_doubted = !slice.as_of && !slice.proven_as_of && !slice.key_set.empty();
        if (sought == Sought::counts && is_doubted) {
            proven.push_back({slice.first, Instant::from_seconds(slice.past)});
        }
        if (slice.proven_as_of && counts && *slice.proven_as_of > Instant::from_seconds(slice.first)) {
            proven.push_back({slice.first, std::min(Instant::from_seconds(slice.past), *slice.proven_as_of)});
        }
    }
    std::sort(proven.begin(), proven.end(), [](const Range& a, const Range& b) { return a.to > b.to; });
    Completeness complete;
    for (const auto& range : proven) {
        if (complete.from && range.to < *complete.from) {
            break;
        }
        complete.to = complete.to.value_or(range.to);
        complete.from = std::min(complete.from.value_or(range.to), Instant::from_seconds(range.from));
    }
    return complete;
}

namespace {

Completeness part_after(Completeness complete, std::optional<Instant> beginning)
{
    if (!beginning || !complete.from) {
        return complete;
    }
    if (*complete.to <= *beginning) {
        return {};
    }
    complete.from = std::max(*complete.from, *beginning);
    return complete;
}

// No walk shows any more whether rows that one walk lacked are elsewhere. Those that their own address dates before the
// ledger are deleted, as by departed_to.
Result<void> forget_candidates(storage::Database& database, const std::string& resource, Instant before)
{
    SHELFD_TRY_ASSIGN(there, has_table(database, state_name(resource)));
    if (!there) {
        return {};
    }
    const auto states = identifier(state_name(resource));
    SHELFD_TRY(storage::run(database,
                            fmt::format("UPDATE {} SET missed = {} WHERE missed <> 0 AND missed >= {} AND place < ?",
                                        states, missed_and_denied, missed_but_elsewhere),
                            before.seconds()));
    SHELFD_TRY(storage::run(
        database, fmt::format("UPDATE {} SET missed = 0 WHERE missed <> 0 AND missed = 1 AND place < ?", states),
        before.seconds()));
    return database.changes() == 0
               ? Result<void>()
               : storage::run(database,
                              fmt::format("UPDATE _resources SET candidates = (SELECT count(*) FROM {} WHERE {}) "
                                          "WHERE resource = ?",
                                          states, missed_rows),
                              resource);
}

}  // namespace

Result<void> save_completeness(storage::Database& database, const std::string& resource)
{
    SHELFD_TRY_ASSIGN(slices, load_slices(database, resource));
    SHELFD_TRY_ASSIGN(beginning, beginning_of(database, resource));
    // A row that one walk lacked may be in any window proven before that walk. One whose own address shows another date
    // is still among the rows of its former one.
    SHELFD_TRY_ASSIGN(seeks, has_candidates(database, resource));
    SHELFD_TRY_ASSIGN(moved, newest_move(database, resource));
    std::int64_t newest = 0;
    for (const auto& slice : slices) {
        newest = std::max(newest, slice.proof_number);
    }
    const auto complete = part_after(complete_range(slices, Sought::counts_not, seeks ? newest : moved), beginning);
    const auto filled = part_after(complete_range(slices, Sought::counts), beginning);
    return storage::run(database, R"sql(
        UPDATE _resources SET complete_from = ?2, complete_to = ?3, filled_from = ?4
        WHERE resource = ?1 AND (complete_from IS NOT ?2 OR complete_to IS NOT ?3 OR filled_from IS NOT ?4)
    )sql",
                        resource, text_of(complete.from), text_of(complete.to), text_of(filled.from));
}

Result<std::optional<Instant>> beginning_of(storage::Database& database, const std::string& resource)
{
    SHELFD_TRY_ASSIGN(text, read_value(database, "SELECT begins_at FROM _resources WHERE resource = ?", resource));
    return text ? Instant::from_rfc3339(*text) : std::nullopt;
}

Result<void> move_beginning(storage::Database& database, const std::string& resource, std::optional<Instant> former,
                            Instant beginning)
{
    // An earlier version did not limit it.
    SHELFD_TRY_ASSIGN(says_too_much,
                      storage::read_number(
                          database,
                          "SELECT EXISTS (SELECT 1 FROM _resources WHERE resource = ? AND complete_from < begins_at)",
                          resource));
    if (former == beginning && says_too_much == 0) {
        return {};
    }
    if (former && beginning < *former) {
        SHELFD_TRY(storage::run(database, R"sql(
            UPDATE _slices SET proven_as_of = NULL
            WHERE resource = ?1 AND first < ?2 AND past > ?3 AND past <> ?4
        )sql",
                                resource, former->seconds(), beginning.seconds(), behind_all));
    }
    SHELFD_TRY(forget_candidates(database, resource, beginning));
    return save_completeness(database, resource);
}

std::string within(const std::optional<Slice>& slice)
{
    return slice ? fmt::format(" AND place >= {} AND place < {}", slice->first, slice->past) : "";
}

}  // namespace shelfd::mirror
