// Whether a pass is sufficient evidence against the rows that it lacks. Not if they are too many of the walked rows or
// of a whole round, and not if the token is not confirmed.
#include "mirror/deletions/held_rows.hpp"
#include "mirror/deletions/row_deletions.hpp"
#include "mirror/records/row_state_sql.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

namespace shelfd::mirror {

bool are_many(std::uint64_t missing, std::uint64_t rows, const DeletionLimits& limits)
{
    return missing > limits.min_rows && static_cast<double>(missing) > limits.max_share * static_cast<double>(rows);
}

Verdict judge(const DeletionEvidence& evidence, std::uint64_t newly_missing, std::uint64_t rows,
              const DeletionLimits& limits)
{
    if (!evidence.there.empty()) {
        return Verdict::hold;
    }
    return are_many(newly_missing, rows, limits) ? Verdict::wait : Verdict::believe;
}

Result<Verdict> RowDeletions::verdict()
{
    const auto those = [this](const char* condition) {
        return fmt::format("SELECT count(*) FROM {} WHERE {}{}", states_of(facts_), condition, pass_.within);
    };
    SHELFD_TRY_ASSIGN(newly, one_number(database_, those("missed = 1")));
    auto rows = facts_.rows;
    if (!pass_.within.empty()) {
        SHELFD_TRY_ASSIGN(in_slice, one_number(database_, those("true")));
        rows = in_slice;
    }
    const auto judged = judge(pass_.evidence, newly, rows, pass_.limits);
    const auto& slice = pass_.start.slice;
    if (judged != Verdict::believe || newly == 0 || !slice || !slice->is_list_by_parent()) {
        return judged;
    }
    // A permission that shrinks empties hundreds of small lists, each of which has few rows.
    SHELFD_TRY_ASSIGN(gone, gone_in_round());
    SHELFD_TRY_ASSIGN(waiting, one_number(database_, fmt::format("SELECT count(*) FROM {} WHERE {} AND missed = 1",
                                                                 states_of(facts_), missed_rows)));
    return are_many(gone + waiting, gone + facts_.rows, pass_.limits) ? Verdict::wait : judged;
}

// Returns how many rows the lists by parent have lost since their round began, also if a crash split it into several
// runs; without those removed with their parent.
Result<std::uint64_t> RowDeletions::gone_in_round()
{
    // The row of the run is found by its key; earlier ones are among the latest.
    SHELFD_TRY_ASSIGN(gone, storage::read_number(database_, R"sql(
        SELECT coalesce((SELECT deleted FROM _runs WHERE run_id = ?2 AND resource = ?1), 0) + coalesce((
            SELECT sum(deleted) FROM (SELECT * FROM _runs ORDER BY rowid DESC LIMIT 1000)
            WHERE resource = ?1 AND run_id <> ?2 AND mode <> 'parents'
                AND started_at >= (SELECT round_at FROM _resources WHERE resource = ?1)), 0)
    )sql",
                                                 facts_.name, pass_.start.run_id));
    return static_cast<std::uint64_t>(gone);
}

// No canary distinguishes a valid token from an invalid one, which is shown only public rows: rows that the walk lacks
// stay until a canary does, or a person decides.
Result<void> RowDeletions::hold_for_want_of_a_canary()
{
    SHELFD_TRY(miss());
    SHELFD_TRY(hold_missing(database_, facts_,
                            {pass_.start.run_id, pass_.at, std::string(held_unvouched),
                             fmt::format("{} AND NOT _seen(ord)", pass_.within)}));
    return count_held(database_, facts_);
}

// These rows are missing like others, now that the token is confirmed.
Result<void> RowDeletions::release_unvouched()
{
    return facts_.held == 0 ? Result<void>() : release_held_as(database_, facts_, held_unvouched, pass_.within);
}

}  // namespace shelfd::mirror
