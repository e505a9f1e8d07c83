// Publishing a slice of a table: a window of a ledger, or the list of one parent.
#include "mirror/publish/publication.hpp"
#include "mirror/records/departed_rows.hpp"
#include "mirror/records/taken_rows.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

namespace shelfd::mirror {

// The first load of a table is not written to the feed. That of a ledger takes days, window by window, while new
// changes must be in the feed.
Result<void> Publication::check_slice()
{
    const auto& slice = pass_.start.slice;
    if (!slice) {
        return {};
    }
    SHELFD_TRY_ASSIGN(known, is_known(database_, facts_.name, *slice));
    if (!slice->is_list_by_parent() && pass_.proof.complete) {
        SHELFD_TRY_ASSIGN(number, next_proof(database_, facts_.name));
        proof_number_ = number;
    }
    first_load_ = slice->is_list_by_parent() ? !facts_.as_of : !known && slice->first <= facts_.declared_at.seconds();
    return {};
}

Result<void> Publication::record_slice()
{
    const auto& slice = pass_.start.slice;
    if (!slice) {
        return {};
    }
    SliceFacts walked;
    walked.name = slice->name;
    walked.first = slice->first;
    walked.past = slice->past;
    walked.as_of = pass_.start.as_of;
    if (pass_.proof.complete) {
        walked.proven_as_of = pass_.start.as_of;
        walked.proof_number = proof_number_;
    }
    walked.asked_at = pass_.start.started;
    walked.compared_at = pass_.totals.compared_at;
    if (slice->is_list_by_parent()) {
        walked.changes_from = pass_.proof.changes_from;
    }
    if (slice->is_list_by_parent() && pass_.proof.whole) {
        walked.whole_at = pass_.start.started;
    }
    if (pass_.proof.whole || !slice->is_list_by_parent()) {
        walked.key_set = pass_.proof.keys_tell ? pass_.seen.digest() : std::string(keys_of_moved_walk);
    }
    SHELFD_TRY_ASSIGN(rows, rows_in_slice());
    walked.rows = rows;
    SHELFD_TRY_ASSIGN(waiting, are_rows_waiting());
    walked.why = waiting ? "rows wait for a second piece of evidence" : "";
    SHELFD_TRY(save_slice(database_, facts_.name, walked, pass_.start.run_id));
    if (slice->field.empty()) {
        return {};
    }
    if (pass_.proof.takes_rows) {
        SHELFD_TRY(end_proofs(database_, facts_.name, *slice, pass_.taken));
    }
    SHELFD_TRY(record_departed(database_, facts_, outcome_.candidates > 0));
    return save_completeness(database_, facts_.name);
}

// True if rows are missing only in the last proven walk of this window. Lists by parent are walked again anyway.
Result<bool> Publication::are_rows_waiting()
{
    if (pass_.start.slice->is_list_by_parent() || outcome_.candidates == 0) {
        return false;
    }
    SHELFD_TRY_ASSIGN(waiting,
                      storage::read_number(database_, fmt::format("SELECT EXISTS (SELECT 1 FROM {} WHERE missed = 1{})",
                                                                  states_, within(pass_.start.slice))));
    return waiting != 0;
}

// Number of rows in the slice; a walk of changes does not count a list.
Result<std::uint64_t> Publication::rows_in_slice()
{
    if (!pass_.start.slice->is_list_by_parent()) {
        return pass_.seen.count();
    }
    if (outcome_.rows == 0) {
        return 0;
    }
    SHELFD_TRY_ASSIGN(rows,
                      storage::read_number(database_, fmt::format("SELECT count(*) FROM {} WHERE place = ?", states_),
                                           pass_.start.slice->first));
    return static_cast<std::uint64_t>(rows);
}

}  // namespace shelfd::mirror
