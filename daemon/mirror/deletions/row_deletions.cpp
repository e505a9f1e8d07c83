#include "mirror/deletions/row_deletions.hpp"

#include "base/words/names.hpp"
#include "mirror/columns/columns.hpp"
#include "mirror/deletions/held_rows.hpp"
#include "mirror/details/details.hpp"
#include "mirror/records/departed_rows.hpp"
#include "mirror/records/row_state_sql.hpp"
#include "mirror/rows/deleted_rows.hpp"
#include "mirror/values/names.hpp"
#include "storage/query.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace shelfd::mirror {

Result<bool> RowDeletions::is_any_missing(std::optional<std::uint64_t> absent)
{
    if (!pass_.proof.complete && !pass_.proof.is_unvouched) {
        return false;
    }
    if (absent) {
        return *absent > 0;
    }
    SHELFD_TRY_ASSIGN(found,
                      one_number(database_, fmt::format("SELECT EXISTS (SELECT 1 FROM {} WHERE NOT _seen(ord){})",
                                                        states_of(facts_), pass_.within)));
    return found > 0;
}

Result<void> RowDeletions::settle(std::optional<std::uint64_t> absent)
{
    if (facts_.rows == 0) {
        return {};  // then there are no states
    }
    if (facts_.candidates > 0 || facts_.held + facts_.kept > 0) {
        // A row met in any kind of pass exists.
        SHELFD_TRY(clear_reappeared());
    }
    SHELFD_TRY_ASSIGN(witnesses, is_any_missing(absent));
    if (witnesses) {
        SHELFD_TRY(weigh());
    } else if (pass_.proof_number > 0 && facts_.candidates > 0 && !pass_.proof.is_unvouched) {
        // This may be the last window in which a departed row was sought.
        SHELFD_TRY(remove_witnessed());
    }
    if (!witnesses && facts_.candidates == 0) {
        return {};
    }
    SHELFD_TRY_ASSIGN(
        left, one_number(database_, fmt::format("SELECT count(*) FROM {} WHERE {}", states_of(facts_), missed_rows)));
    candidates_ = left;
    return {};
}

Result<void> RowDeletions::clear_reappeared()
{
    if (facts_.held + facts_.kept > 0) {
        SHELFD_TRY(forget_held(database_, facts_, fmt::format("{} AND _seen(ord)", held_rows)));
        SHELFD_TRY(count_held(database_, facts_));
    }
    return database_.execute(
        fmt::format("UPDATE {} SET missed = 0 WHERE missed <> 0 AND _seen(ord)", states_of(facts_)));
}

bool RowDeletions::is_of_ledger() const
{
    return pass_.start.slice && !pass_.start.slice->is_list_by_parent();
}

// New value of `missed` for a row that one more proven walk lacks.
std::string RowDeletions::one_more() const
{
    return is_of_ledger() ? fmt::format("CASE WHEN missed = 0 OR missed >= {} THEN 1 WHEN missed = 1 THEN {} "
                                        "ELSE missed END",
                                        missed_but_elsewhere, missed_since + pass_.proof_number)
                          : "missed + 1";
}

// Condition for the states of rows that are deleted now.
Result<std::string> RowDeletions::agreed()
{
    const auto witnessed = fmt::format("{} AND missed >= {}", missed_rows, needed_passes);
    if (!is_of_ledger()) {
        return witnessed;
    }
    SHELFD_TRY_ASSIGN(left, newest_departure(database_, facts_.name));
    std::int64_t lowest = 0;
    if (left > 0) {
        SHELFD_TRY_ASSIGN(
            proof, lowest_proof(database_, facts_.name, *pass_.start.slice, pass_.proof_number, pass_.start.as_of));
        lowest = proof;
    }
    return fmt::format("{} AND missed <= {}", witnessed, missed_since + lowest);
}

// The rows were not deleted: the slices where they are now are walked again, and until then they have left.
Result<void> RowDeletions::record_moved()
{
    if (pass_.evidence.moved.empty()) {
        return {};
    }
    const auto first = static_cast<int>(facts_.key.size()) + 1;
    SHELFD_TRY_ASSIGN(move, database_.prepare(fmt::format("UPDATE {} SET missed = ?{}, place = ?{} WHERE {}",
                                                          states_of(facts_), first, first + 1, key_is(facts_))));
    for (const auto& moved : pass_.evidence.moved) {
        SHELFD_TRY_ASSIGN(missed, departed_to(database_, facts_.name, moved.place, pass_.proof_number));
        moved.key.bind(move, 1);
        move.bind(first, missed).bind(first + 1, moved.place);
        SHELFD_TRY(move.run());
    }
    return {};
}

Result<void> RowDeletions::miss()
{
    return database_.execute(fmt::format("UPDATE {} SET missed = {} WHERE missed >= 0 AND NOT _seen(ord){}",
                                         states_of(facts_), one_more(), pass_.within));
}

Result<void> RowDeletions::weigh()
{
    if (pass_.proof.is_unvouched) {
        return hold_for_want_of_a_canary();
    }
    SHELFD_TRY(record_moved());
    SHELFD_TRY(release_unvouched());
    SHELFD_TRY(release_held());
    SHELFD_TRY(release_kept());
    SHELFD_TRY(miss());
    SHELFD_TRY_ASSIGN(judged, verdict());
    switch (judged) {
    case Verdict::hold: return hold();
    case Verdict::wait: break;
    case Verdict::believe: SHELFD_TRY(believe()); break;
    }
    return remove_witnessed();
}

Result<void> RowDeletions::hold()
{
    const std::vector<std::string> named = {pass_.evidence.there.front().to_json()};
    const auto why = fmt::format("the list lacks it, but the service still answers for {}",
                                 list_some(named, named.size(), pass_.evidence.there.size() - named.size()));
    SHELFD_TRY(hold_missing(database_, facts_, {pass_.start.run_id, pass_.at, why, pass_.within}));
    return count_held(database_, facts_);
}

// Rows were held because some rows still answered. If none does any more, and an own address confirms a deletion, they
// are missing like others.
Result<void> RowDeletions::release_held()
{
    const auto& evidence = pass_.evidence;
    if (facts_.held == 0 || !evidence.held_denied || evidence.held_there || evidence.any_unclear ||
        !evidence.there.empty()) {
        return {};
    }
    const auto those = fmt::format("missed = {} AND NOT _seen(ord){}", missed_but_held, pass_.within);
    SHELFD_TRY(forget_held(database_, facts_, those));
    SHELFD_TRY(database_.execute(fmt::format("UPDATE {} SET missed = 0 WHERE {}", states_of(facts_), those)));
    return count_held(database_, facts_);
}

// A kept row whose own address now says that it is gone was deleted after the decision.
Result<void> RowDeletions::release_kept()
{
    if (facts_.kept == 0 || !pass_.evidence.there.empty()) {
        return {};
    }
    SHELFD_TRY_ASSIGN(forget, database_.prepare("DELETE FROM _held WHERE kept AND resource = ? AND item_key = ?"));
    SHELFD_TRY_ASSIGN(release, database_.prepare(fmt::format("UPDATE {} SET missed = {} WHERE {}", states_of(facts_),
                                                             needed_passes, key_is(facts_))));
    for (const auto& key : pass_.evidence.gone) {
        SHELFD_TRY(storage::run(forget, facts_.name, key.to_json()));
        if (database_.changes() == 0) {
            continue;  // not a kept row
        }
        key.bind(release, 1);
        SHELFD_TRY(release.run());
    }
    return count_held(database_, facts_);
}

Result<void> RowDeletions::believe()
{
    // A row of a ledger may be in any other window, unless its own address says that it is gone.
    const auto enough = fmt::format("UPDATE {} SET missed = {} WHERE missed {} 1{}", states_of(facts_), needed_passes,
                                    is_of_ledger() ? ">=" : "=", pass_.within);
    if (pass_.proof.one_answer && !is_of_ledger()) {
        return database_.execute(enough);
    }
    SHELFD_TRY_ASSIGN(note, database_.prepare(fmt::format("{} AND {}", enough, key_is(facts_))));
    for (const auto& key : pass_.evidence.gone) {
        key.bind(note, 1);
        SHELFD_TRY(note.run());
    }
    return {};
}

Result<void> RowDeletions::remove_witnessed()
{
    SHELFD_TRY_ASSIGN(witnessed, agreed());
    SHELFD_TRY_ASSIGN(any, one_number(database_, fmt::format("SELECT EXISTS (SELECT 1 FROM {} WHERE {})",
                                                             states_of(facts_), witnessed)));
    if (any == 0) {
        return {};
    }
    const Removal removal{pass_.keep_deleted, pass_.start.run_id, pass_.at};
    SHELFD_TRY_ASSIGN(removed, remove_list_rows(database_, facts_, changes_, witnessed, removal));
    deleted_ = removed;
    return {};
}

}  // namespace shelfd::mirror
