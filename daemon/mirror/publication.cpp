#include "mirror/publication.hpp"

#include "mirror/names.hpp"
#include "mirror/run_records.hpp"
#include "mirror/staging_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::mirror {

namespace {

// So many complete passes in a row must lack a row before it goes: one may have been asked while a permission was
// taken away, or a filter was in force.
constexpr int witnesses = 2;

std::string key_list(std::size_t size)
{
    std::string out;
    for (std::size_t part = 1; part <= size; ++part) {
        out += fmt::format("{}k{}", part == 1 ? "" : ", ", part);
    }
    return out;
}

}  // namespace

Publication::Publication(storage::Database& database, ResourceFacts& facts, const Pass& pass)
    : database_(database), facts_(facts), pass_(pass),
      changes_(database, facts, facts.published ? pass.changes : ChangeDetail::none, pass.start.run_id,
               pass.now.to_text()),
      table_(identifier(facts.name)), states_(identifier(state_name(facts.name)))
{
}

Result<PublishOutcome> Publication::run()
{
    using Step = Result<void> (Publication::*)();
    constexpr Step steps[] = {
        &Publication::put_rows,   &Publication::witness_absences, &Publication::note_drift,
        &Publication::note_proof, &Publication::note_run,         &Publication::note_freshness,
    };
    const SeenRows& seen = pass_.seen;
    auto defined =
        database_.define_predicate("_seen", [&seen](std::int64_t ordinal) { return seen.contains(ordinal); });
    if (!defined) {
        return std::move(defined).error();
    }
    auto transaction = storage::Transaction::begin(database_);
    if (!transaction) {
        return std::move(transaction).error();
    }
    for (const Step step : steps) {
        if (auto done = (this->*step)(); !done) {
            return std::move(done).error();
        }
    }
    if (auto done = transaction->commit(); !done) {
        return std::move(done).error();
    }
    return outcome_;
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
    if (auto done = pass_.staging->add_null_columns(); !done) {
        return done;
    }
    if (auto done = note_shapes(); !done) {
        return done;
    }
    if (auto done = changes_.staged(pass_.staging->columns()); !done) {
        return done;
    }
    return fills_an_empty_table() ? swap_in_staging() : merge_staging();
}

// A table without rows is replaced by staging as it is: the time this takes does not grow with the rows.
Result<void> Publication::swap_in_staging()
{
    const auto staging = identifier(staging_name(facts_.name));
    const auto seen = identifier(seen_name(facts_.name));
    auto done = database_.execute(fmt::format(
        "DROP TABLE {0}; ALTER TABLE {1} RENAME TO {0}; DROP TABLE IF EXISTS {2}; ALTER TABLE {3} RENAME TO {2}",
        table_, staging, states_, seen));
    return done ? note_columns() : std::move(done);
}

Result<void> Publication::merge_staging()
{
    if (auto done = add_columns(); !done) {
        return done;
    }
    const auto columns = pass_.staging->columns().names();
    auto done = database_.execute(fmt::format(
        "INSERT OR REPLACE INTO {0} ({1}) SELECT {1} FROM {2}; INSERT OR REPLACE INTO {3} SELECT * FROM {4}", table_,
        columns, identifier(staging_name(facts_.name)), states_, identifier(seen_name(facts_.name))));
    return done ? drop_staging(database_, facts_.name) : std::move(done);
}

Result<void> Publication::add_columns()
{
    for (const auto& column : pass_.staging->columns().all()) {
        if (column.stored && !column.published) {
            auto added =
                database_.execute(fmt::format("ALTER TABLE {} ADD COLUMN {}", table_, column_definition(column)));
            if (!added) {
                return added;
            }
        }
    }
    return note_columns();
}

Result<void> Publication::witness_absences()
{
    if (facts_.candidates > 0) {
        // Met again, in whatever kind of pass: it is there.
        auto back = database_.execute(fmt::format("UPDATE {} SET missed = 0 WHERE missed > 0 AND _seen(ord)", states_));
        if (!back) {
            return back;
        }
    }
    const std::uint64_t absent = facts_.rows - pass_.totals.known_rows;
    if (pass_.proof.complete && absent > 0) {
        auto missed = database_.execute(fmt::format("UPDATE {} SET missed = missed + 1 WHERE NOT _seen(ord)", states_));
        if (!missed) {
            return missed;
        }
        if (auto done = delete_agreed(); !done) {
            return done;
        }
    }
    const bool some_now = pass_.proof.complete && absent > 0;
    return some_now || facts_.candidates > 0 ? count_candidates() : Result<void>();
}

Result<void> Publication::delete_agreed()
{
    const auto agreed = fmt::format("missed >= {}", witnesses);
    if (auto done = changes_.removed(agreed); !done) {
        return done;
    }
    auto columns = Columns::load(database_, facts_.name, facts_.key);
    if (!columns) {
        return std::move(columns).error();
    }
    std::string key;
    for (std::size_t part = 0; part < facts_.key.size(); ++part) {
        key += (part == 0 ? "" : ", ") + identifier((*columns)[part].name);
    }
    auto rows = database_.prepare(fmt::format("DELETE FROM {} WHERE ({}) IN (SELECT {} FROM {} WHERE {})", table_, key,
                                              key_list(facts_.key.size()), states_, agreed));
    if (!rows) {
        return std::move(rows).error();
    }
    if (auto done = rows->run(); !done) {
        return done;
    }
    outcome_.deleted = static_cast<std::uint64_t>(database_.changes());
    outcome_.rows -= outcome_.deleted;
    return database_.execute(fmt::format("DELETE FROM {} WHERE {}", states_, agreed));
}

Result<void> Publication::count_candidates()
{
    auto count = database_.prepare(fmt::format("SELECT count(*) FROM {} WHERE missed > 0", states_));
    if (!count) {
        return std::move(count).error();
    }
    auto row = count->step();
    if (!row) {
        return std::move(row).error();
    }
    outcome_.candidates = static_cast<std::uint64_t>(count->integer(0));
    return {};
}

Result<void> Publication::note_columns()
{
    return record_columns(database_, facts_.name, pass_.staging->columns(), pass_.start.run_id);
}

Result<void> Publication::note_shapes()
{
    return record_shapes(database_, facts_.name, pass_.staging->shapes());
}

Result<void> Publication::note_drift()
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

Result<void> Publication::note_proof()
{
    return record_proof(database_, facts_.name, pass_.start, pass_.proof, pass_.seen.count(), pass_.now);
}

Result<void> Publication::note_run()
{
    const PublishedRun run{
        .resource = facts_.name,
        .start = pass_.start,
        .proof = pass_.proof,
        .outcome = outcome_,
        .pages = pass_.totals.pages,
        .bytes = pass_.totals.bytes,
        .finished = pass_.now,
    };
    if (auto done = record_published(database_, run); !done) {
        return done;
    }
    return forget_old(database_, pass_.now - pass_.retention);
}

Result<void> Publication::note_freshness()
{
    facts_.rows = outcome_.rows;
    facts_.candidates = outcome_.candidates;
    return save_published(database_, facts_, pass_.start, pass_.proof, pass_.now);
}

}  // namespace shelfd::mirror
