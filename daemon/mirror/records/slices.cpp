#include "mirror/records/slices.hpp"

#include "mirror/json/instants.hpp"
#include "mirror/json/object.hpp"
#include "mirror/json/text.hpp"
#include "mirror/records/departed_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::mirror {

Result<std::vector<SliceFacts>> load_slices(storage::Database& database, const std::string& resource)
{
    SHELFD_TRY_ASSIGN(rows, database.prepare(R"sql(
        SELECT name, first, past, as_of, proven_as_of, key_set, rows, asked_at, whole_at, changes_from, why,
            proof_number
        FROM _slices WHERE resource = ?
        ORDER BY first, past
    )sql"));
    rows.bind(1, std::string_view(resource));
    SHELFD_TRY_ASSIGN(departed, newest_departure(database, resource));
    std::vector<SliceFacts> slices;
    for (;;) {
        auto row = rows.step();
        if (!row || !*row) {
            return row ? Result<std::vector<SliceFacts>>(std::move(slices)) : std::move(row).error();
        }
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
        slice.sought = slice.proven_as_of && slice.proof_number < departed;
    }
}

Result<void> save_slice(storage::Database& database, const std::string& resource, const SliceFacts& facts,
                        const std::string& run_id)
{
    auto replaced = database.prepare(R"sql(
        DELETE FROM _slices WHERE resource = ?1 AND first >= ?2 AND past <= ?3 AND NOT (first = ?2 AND past = ?3)
    )sql");
    auto put = database.prepare(R"sql(
        INSERT INTO _slices (resource, first, past, name, as_of, proven_as_of, proof_run, key_set, rows, asked_at,
            whole_at, changes_from, why, proof_number)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
        ON CONFLICT (resource, first, past) DO UPDATE SET name = excluded.name, as_of = excluded.as_of,
            proven_as_of = coalesce(excluded.proven_as_of, proven_as_of),
            proof_run = coalesce(excluded.proof_run, proof_run),
            key_set = CASE excluded.key_set WHEN '' THEN key_set ELSE excluded.key_set END, rows = excluded.rows,
            asked_at = excluded.asked_at, whole_at = coalesce(excluded.whole_at, whole_at),
            changes_from = coalesce(excluded.changes_from, changes_from), why = excluded.why,
            proof_number = coalesce(excluded.proof_number, proof_number)
    )sql");
    if (!replaced || !put) {
        return replaced ? std::move(put).error() : std::move(replaced).error();
    }
    replaced->bind(1, std::string_view(resource)).bind(2, facts.first).bind(3, facts.past);
    SHELFD_TRY(replaced->run());
    const auto as_of = text_of(facts.as_of);
    const auto proven = text_of(facts.proven_as_of);
    const auto asked_at = text_of(facts.asked_at);
    const auto whole_at = text_of(facts.whole_at);
    const auto changes_from = text_of(facts.changes_from);
    const auto proof_run = facts.proven_as_of ? std::optional(run_id) : std::nullopt;
    put->bind(1, std::string_view(resource)).bind(2, facts.first).bind(3, facts.past);
    put->bind(4, std::string_view(facts.name)).bind(5, as_of).bind(6, proven).bind(7, proof_run);
    put->bind(8, std::string_view(facts.key_set)).bind(9, static_cast<std::int64_t>(facts.rows));
    const auto why = facts.why.empty() ? std::nullopt : std::optional(facts.why);
    if (facts.proof_number > 0) {
        put->bind(14, facts.proof_number);
    }
    put->bind(10, asked_at).bind(11, whole_at).bind(12, changes_from).bind(13, why);
    return put->run();
}

Result<void> doubt_slices(storage::Database& database, const std::string& resource, std::int64_t place)
{
    SHELFD_TRY_ASSIGN(
        doubt,
        database.prepare(
            "UPDATE _slices SET proven_as_of = NULL, as_of = NULL WHERE resource = ?1 AND first <= ?2 AND past > ?2"));
    doubt.bind(1, std::string_view(resource)).bind(2, place);
    return doubt.run();
}

Result<bool> has_slice(storage::Database& database, const std::string& resource, std::int64_t place)
{
    SHELFD_TRY_ASSIGN(
        known,
        database.prepare("SELECT EXISTS (SELECT 1 FROM _slices WHERE resource = ?1 AND first <= ?2 AND past > ?2)"));
    known.bind(1, std::string_view(resource)).bind(2, place);
    SHELFD_TRY(known.step());
    return known.integer(0) != 0;
}

Result<bool> is_known(storage::Database& database, const std::string& resource, const Slice& slice)
{
    SHELFD_TRY_ASSIGN(
        known, database.prepare("SELECT EXISTS (SELECT 1 FROM _slices WHERE resource = ? AND first < ? AND past > ?)"));
    known.bind(1, std::string_view(resource)).bind(2, slice.past).bind(3, slice.first);
    SHELFD_TRY(known.step());
    return known.integer(0) != 0;
}

Result<bool> was_whole(storage::Database& database, const std::string& resource, const Slice& slice)
{
    SHELFD_TRY_ASSIGN(
        known, database.prepare(
                   "SELECT EXISTS (SELECT 1 FROM _slices WHERE resource = ? AND first = ? AND whole_at IS NOT NULL)"));
    known.bind(1, std::string_view(resource)).bind(2, slice.first);
    SHELFD_TRY(known.step());
    return known.integer(0) != 0;
}

// A slice that was walked before its end says nothing of what came after the walk, and one that a row may have come to
// since then lacks it.
Completeness complete_range(const std::vector<SliceFacts>& slices)
{
    struct Range {
        std::int64_t from;
        Instant to;
    };
    std::vector<Range> proven;
    for (const auto& slice : slices) {
        if (slice.proven_as_of && !slice.sought && *slice.proven_as_of > Instant::from_seconds(slice.first)) {
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

Result<void> save_completeness(storage::Database& database, const std::string& resource)
{
    auto slices = load_slices(database, resource);
    auto update = database.prepare(R"sql(
        UPDATE _resources SET complete_from = ?2, complete_to = ?3
        WHERE resource = ?1 AND (complete_from IS NOT ?2 OR complete_to IS NOT ?3)
    )sql");
    if (!slices || !update) {
        return slices ? std::move(update).error() : std::move(slices).error();
    }
    const auto complete = complete_range(*slices);
    const auto text = [](const std::optional<Instant>& at) {
        return at ? std::optional(at->to_text()) : std::optional<std::string>();
    };
    const auto from = text(complete.from);
    const auto to = text(complete.to);
    update->bind(1, std::string_view(resource)).bind(2, from).bind(3, to);
    return update->run();
}

std::string within(const std::optional<Slice>& slice)
{
    return slice ? fmt::format(" AND place >= {} AND place < {}", slice->first, slice->past) : "";
}

}  // namespace shelfd::mirror
