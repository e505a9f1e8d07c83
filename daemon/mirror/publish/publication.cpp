#include "mirror/publish/publication.hpp"

#include "mirror/deletions/held_rows.hpp"
#include "mirror/details/full_view.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/records/row_state_sql.hpp"
#include "mirror/records/runs.hpp"
#include "mirror/records/slices.hpp"
#include "mirror/rows/dated_changes.hpp"
#include "mirror/rows/deleted_rows.hpp"
#include "mirror/rows/removal.hpp"
#include "mirror/rows/states.hpp"
#include "mirror/rows/untold.hpp"
#include "mirror/staging/tables.hpp"
#include "mirror/values/names.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace shelfd::mirror {
namespace {

// For shorter commits the row of the run is exact enough; another transaction would make a poll a tenth slower.
constexpr Duration slow_commit = std::chrono::milliseconds(100);

// Smaller tables are merged: another table in their place would make each reader prepare its statements again.
constexpr std::uint64_t large_table = 10'000;
// Copying so few states takes less time than ALTER TABLE, which parses the whole schema three times (measured with
// 2,000: 1.1 instead of 2.5 ms; with 5,000 both take as long).
constexpr std::uint64_t few_states = 2'000;

}  // namespace

Publication::Publication(storage::Database& database, ResourceFacts& facts, const Pass& pass)
    : database_(database), facts_(facts), pass_(pass),
      changes_(database, facts, facts.published ? pass.changes : ChangeDetail::none, pass.start.run_id,
               pass.now.to_text()),
      is_muted_(pass.changes != ChangeDetail::none && !facts.published), table_(identifier(facts.name)),
      states_(identifier(state_name(facts.name)))
{
}

Result<PublishOutcome> Publication::run()
{
    using Step = Result<void> (Publication::*)();
    constexpr Step of_list[] = {
        &Publication::check_slice,     &Publication::check_former_rows,  &Publication::show_dates,
        &Publication::put_rows,        &Publication::settle_deletions,   &Publication::record_untold,
        &Publication::compare_rebuilt, &Publication::write_drift,        &Publication::write_proof,
        &Publication::record_slice,    &Publication::record_freshness,   &Publication::record_pending_details,
        &Publication::align_view,      &Publication::forget_what_is_old, &Publication::write_run,
    };
    constexpr Step of_details[] = {
        &Publication::put_rows,    &Publication::settle_details,     &Publication::record_untold,
        &Publication::write_drift, &Publication::record_details_run, &Publication::align_view,
    };
    const std::span<const Step> steps = pass_.details == nullptr ? std::span<const Step>(of_list) : of_details;
    if (pass_.staging != nullptr) {
        SHELFD_TRY(pass_.staging->flush());
    }
    SHELFD_TRY(define_seen(database_, pass_.seen));
    SHELFD_TRY_ASSIGN(transaction, storage::Transaction::begin(database_));
    for (const Step step : steps) {
        SHELFD_TRY((this->*step)());
    }
    const auto all_but_committed = pass_.options.clock.now();
    SHELFD_TRY(transaction.commit());
    if (pass_.options.clock.now() - all_but_committed > slow_commit) {
        // The rows are visible: if this fails, they still count as published.
        (void)record_commit();
    }
    return outcome_;
}

// The time of the commit is not known within its transaction.
Result<void> Publication::record_commit()
{
    return storage::run(database_, "UPDATE _runs SET finished_at = ? WHERE run_id = ? AND resource = ?",
                        pass_.options.clock.now().to_text(), pass_.start.run_id, facts_.name);
}

Result<void> Publication::show_dates()
{
    return pass_.dates != nullptr && staged()
               ? show_new_dates(database_, facts_.name, pass_.staging->columns(), *pass_.dates)
               : Result<void>();
}

Result<void> Publication::put_rows()
{
    outcome_.rows = facts_.rows;
    outcome_.unchanged = pass_.totals.known_rows;
    if (!staged()) {
        return {};
    }
    outcome_.added = pass_.staging->added();
    outcome_.changed = pass_.staging->changed();
    outcome_.unchanged -= std::min(outcome_.unchanged, outcome_.changed);
    outcome_.rows += outcome_.added;
    SHELFD_TRY(pass_.staging->add_null_columns());
    SHELFD_TRY(write_key_sets());
    SHELFD_TRY(forget_returned(database_, facts_));
    SHELFD_TRY(release_held());
    const auto rows = first_load_ ? ChangeFeed::Rows::known : ChangeFeed::Rows::all;
    SHELFD_TRY(changes_.staged(pass_.staging->columns(), rows));
    SHELFD_TRY(queue_staged(database_, facts_, pass_.now));
    SHELFD_TRY_ASSIGN(replaces_all, replaces_all_rows());
    SHELFD_TRY(replaces_all ? swap_in_staging() : merge_staging());
    // A table that replaced another one has no indexes yet.
    return pass_.start.slice ? index_states(database_, facts_) : Result<void>();
}

// For a held row that reappeared with a change: after the merge its state does not show that it was held.
Result<void> Publication::release_held()
{
    if (facts_.held + facts_.kept == 0) {
        return {};
    }
    SHELFD_TRY(forget_held(database_, facts_,
                           fmt::format("{2} AND ({0}) IN (SELECT {0} FROM {1})", key_list(facts_.key.size(), "k{}"),
                                       identifier(seen_name(facts_.name)), held_rows)));
    return count_held(database_, facts_);
}

Result<bool> Publication::replaces_all_rows()
{
    if (facts_.rows == 0) {
        return true;
    }
    // The number of rows is a record. A row that it does not count would be lost, so the table itself is asked, too.
    if (facts_.rows < large_table || outcome_.changed < facts_.rows) {
        return false;
    }
    std::string same;
    for (std::size_t part = 0; part < facts_.key.size(); ++part) {
        same +=
            fmt::format("{0}n.{1} = o.{1}", part == 0 ? "" : " AND ", identifier(pass_.staging->columns()[part].name));
    }
    SHELFD_TRY_ASSIGN(
        others, storage::read_number(database_, fmt::format("SELECT EXISTS (SELECT 1 FROM {} AS o WHERE NOT EXISTS "
                                                            "(SELECT 1 FROM {} AS n WHERE {}))",
                                                            table_, identifier(staging_name(facts_.name)), same)));
    return others == 0;
}

// Staging replaces the table as a whole: the time and the WAL do not depend on the number of rows.
Result<void> Publication::swap_in_staging()
{
    SHELFD_TRY(database_.execute(fmt::format("DROP TABLE {0}; ALTER TABLE {1} RENAME TO {0}; DROP TABLE IF EXISTS {2}",
                                             table_, identifier(staging_name(facts_.name)), states_)));
    const auto seen = identifier(seen_name(facts_.name));
    const auto copy = fmt::format("{0}; INSERT INTO {1} SELECT * FROM {2}; DROP TABLE {2}",
                                  state_definition(state_name(facts_.name), facts_.state_shape()), states_, seen);
    SHELFD_TRY(database_.execute(outcome_.added + outcome_.changed <= few_states
                                     ? copy
                                     : fmt::format("ALTER TABLE {} RENAME TO {}", seen, states_)));
    return write_columns();
}

Result<void> Publication::merge_staging()
{
    SHELFD_TRY(add_columns());
    const auto columns = pass_.staging->columns().names();
    SHELFD_TRY(database_.execute(fmt::format(
        "INSERT OR REPLACE INTO {0} ({1}) SELECT {1} FROM {2}; INSERT OR REPLACE INTO {3} SELECT * FROM {4}", table_,
        columns, identifier(staging_name(facts_.name)), states_, identifier(seen_name(facts_.name)))));
    return drop_staging(database_, facts_.name);
}

Result<void> Publication::add_columns()
{
    const auto& columns = pass_.staging->columns();
    std::vector<std::size_t> added;
    for (std::size_t place = 0; place < columns.size(); ++place) {
        if (columns[place].stored && !columns[place].published) {
            added.push_back(place);
        }
    }
    SHELFD_TRY(mirror::add_columns(database_, facts_, facts_.name, columns, added, facts_.rows));
    return write_columns();
}

Result<void> Publication::settle_deletions()
{
    const RowDeletions::Pass what{
        .start = pass_.start,
        .proof = pass_.proof,
        .evidence = pass_.evidence,
        .limits = pass_.options.deletion_limits,
        .keep_deleted = pass_.keep_deleted,
        .at = pass_.now.to_text(),
        .within = within(pass_.start.slice),
        .proof_number = proof_number_,
    };
    const auto absent = pass_.start.slice ? std::nullopt : std::optional(facts_.rows - pass_.totals.known_rows);
    RowDeletions deletions(database_, facts_, changes_, what);
    SHELFD_TRY(deletions.settle(absent));
    outcome_.deleted = deletions.deleted();
    outcome_.rows -= outcome_.deleted;
    outcome_.candidates = deletions.candidates();
    outcome_.held = facts_.held;
    return {};
}

// Readers of the feed must read the table again, because this publication is not in the feed.
Result<void> Publication::record_untold()
{
    const auto touched = outcome_.added + outcome_.changed + outcome_.deleted;
    const bool leaves_out = is_muted_ ? touched > 0 : first_load_ && outcome_.added > 0;
    return pass_.changes != ChangeDetail::none && leaves_out ? mirror::record_untold(database_, facts_.name)
                                                             : Result<void>();
}

Result<void> Publication::write_columns()
{
    return record_columns(database_, facts_.name, pass_.staging->columns(), pass_.start.run_id);
}

Result<void> Publication::write_key_sets()
{
    return record_shapes(database_, facts_.name, pass_.staging->shapes());
}

Result<void> Publication::write_drift()
{
    if (!staged()) {
        return {};
    }
    for (const auto& [what, drift] : pass_.staging->drifts()) {
        outcome_.drifted += drift.items;
    }
    return record_drift(database_, facts_.name, pass_.staging->columns(), pass_.staging->drifts(), pass_.start.run_id,
                        pass_.now);
}

Result<void> Publication::write_proof()
{
    return record_proof(database_, facts_.name, pass_.start, pass_.proof, pass_.seen.count(), pass_.now);
}

Result<void> Publication::write_run()
{
    const PublishedRun run{
        .resource = facts_.name,
        .start = pass_.start,
        .proof = pass_.proof,
        .outcome = outcome_,
        .pages = pass_.totals.pages,
        .bytes = pass_.totals.bytes,
        .finished = pass_.options.clock.now(),
    };
    return record_published(database_, run);
}

Result<void> Publication::forget_what_is_old()
{
    // A poll that found nothing leaves this to the next pass: it would take a third of its publication (measured).
    const auto touched = outcome_.added + outcome_.changed + outcome_.deleted;
    return pass_.start.asks_changes && touched == 0 ? Result<void>() : forget_old(database_, pass_.options, pass_.now);
}

Result<void> Publication::record_freshness()
{
    facts_.rows = outcome_.rows;
    facts_.candidates = outcome_.candidates;
    // What is stored; empty leaves the stored one as it is.
    facts_.compared_at = pass_.start.slice ? std::nullopt : pass_.totals.compared_at;
    SHELFD_TRY(renumber_if_sparse(database_, facts_));
    return save_published(database_, facts_, pass_.start, pass_.proof, pass_.seen.digest(), pass_.options.clock.now());
}

Result<void> Publication::settle_details()
{
    const auto at = pass_.now.to_text();
    SHELFD_TRY_ASSIGN(removed, pass_.details->settle(changes_, {false, pass_.start.run_id, at}));
    outcome_.deleted = removed;
    outcome_.rows -= removed;
    return {};
}

Result<void> Publication::record_details_run()
{
    DetailOutcome outcome;
    outcome.added = outcome_.added;
    outcome.changed = outcome_.changed;
    outcome.unchanged = outcome_.unchanged;
    outcome.removed = outcome_.deleted;
    SHELFD_TRY(pass_.details->write_run(outcome, outcome_.rows, pass_.totals.bytes, pass_.options.clock.now()));
    facts_.rows = outcome_.rows;
    SHELFD_TRY(renumber_if_sparse(database_, facts_));
    return pass_.details->record_line(facts_);
}

// Counting takes time in proportion to the list. Nothing is counted if the pass changed nothing; lists by parent are
// counted once, at the end of their round.
Result<void> Publication::record_pending_details()
{
    if (pass_.start.slice && pass_.start.slice->is_list_by_parent()) {
        return {};
    }
    if (facts_.published && outcome_.added + outcome_.changed + outcome_.deleted == 0) {
        // Without rows, the details are as old as the list.
        SHELFD_TRY_ASSIGN(
            some, read_value(database_, "SELECT 1 FROM _resources WHERE detail_of = ? AND rows > 0", facts_.name));
        if (some) {
            return {};
        }
    }
    return record_details(database_, facts_.name, facts_.key.size(), pass_.now);
}

Result<void> Publication::align_view()
{
    SHELFD_TRY_ASSIGN(detailed, has_table(database_, queue_name(list())));
    return detailed ? align_full_view(database_, list()) : Result<void>();
}

}  // namespace shelfd::mirror
