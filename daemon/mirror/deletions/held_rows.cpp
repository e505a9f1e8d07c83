#include "mirror/deletions/held_rows.hpp"

#include "mirror/deletions/row_deletions.hpp"
#include "mirror/details/details.hpp"
#include "mirror/json/text.hpp"
#include "mirror/records/row_state_sql.hpp"
#include "mirror/records/runs.hpp"
#include "mirror/rows/change_feed.hpp"

#include <fmt/format.h>

namespace shelfd::mirror {

namespace {

// While a decision is carried out: the rows it is about.
constexpr int missed_and_chosen = -2;

// Calls `use` with the key of each row whose state meets `condition`. `use` must not write to the states.
template <typename Use>
Result<std::uint64_t> for_each_key(storage::Database& database, const ResourceFacts& facts,
                                   const std::string& condition, Use use)
{
    SHELFD_TRY_ASSIGN(keys,
                      database.prepare(fmt::format("SELECT {} FROM {} WHERE {}", key_list(facts.key.size(), "k{}"),
                                                   states_of(facts), condition)));
    for (std::uint64_t count = 0;; ++count) {
        auto row = keys.step();
        if (!row || !*row) {
            return row ? Result<std::uint64_t>(count) : std::move(row).error();
        }
        if (Result<void> used = use(key_of(keys, 0, facts.key.size())); !used) {
            return std::move(used).error();
        }
    }
}

Result<void> set_missed(storage::Database& database, const ResourceFacts& facts, int missed,
                        const std::string& condition)
{
    return database.execute(fmt::format("UPDATE {} SET missed = {} WHERE {}", states_of(facts), missed, condition));
}

// A key as `_held` has it, from what a person typed: JSON, or a text without its quotes.
Result<std::string> held_key(storage::Database& database, const std::string& resource, const std::string& typed)
{
    SHELFD_TRY_ASSIGN(line, database.prepare("SELECT item_key FROM _held WHERE resource = ? AND item_key IN (?, ?)"));
    const auto quoted = quoted_json(typed);
    line.bind(1, std::string_view(resource)).bind(2, std::string_view(typed)).bind(3, std::string_view(quoted));
    SHELFD_TRY_ASSIGN(row, line.step());
    if (!row) {
        return Error(ErrorKind::not_found, fmt::format("{} is no held row of {}: shelfctl held lists them, with their "
                                                       "keys",
                                                       typed, resource));
    }
    return std::string(line.text(0));
}

// The rows named, or all that wait for a decision; marked in the states.
Result<std::uint64_t> choose(storage::Database& database, const ResourceFacts& facts,
                             const std::vector<std::string>& keys)
{
    auto mark =
        database.prepare(fmt::format("UPDATE {} SET missed = {} WHERE ({}) = ({})", states_of(facts), missed_and_chosen,
                                     key_list(facts.key.size(), "k{}"), key_list(facts.key.size(), "?{}")));
    auto waiting = database.prepare("SELECT item_key FROM _held WHERE resource = ? AND NOT kept");
    if (!mark || !waiting) {
        return mark ? std::move(waiting).error() : std::move(mark).error();
    }
    std::vector<std::string> chosen;
    for (const auto& typed : keys) {
        SHELFD_TRY_ASSIGN(key, held_key(database, facts.name, typed));
        chosen.push_back(std::move(key));
    }
    waiting->bind(1, std::string_view(facts.name));
    while (keys.empty()) {
        SHELFD_TRY_ASSIGN(row, waiting->step());
        if (!row) {
            break;
        }
        chosen.emplace_back(waiting->text(0));
    }
    for (const auto& text : chosen) {
        const auto key = read_key(text);
        if (!key || key->size() != facts.key.size()) {
            return Error(ErrorKind::corrupt,
                         fmt::format("_held has a line for {} that is no key: {}", facts.name, text));
        }
        key->bind(*mark, 1);
        SHELFD_TRY(mark->run());
    }
    return static_cast<std::uint64_t>(chosen.size());
}

Result<void> keep_chosen(storage::Database& database, const ResourceFacts& facts, const std::string& chosen)
{
    SHELFD_TRY_ASSIGN(keep, database.prepare("UPDATE _held SET kept = 1 WHERE resource = ? AND item_key = ?"));
    auto done = for_each_key(database, facts, chosen, [&](const ItemKey& key) {
        const auto text = key.to_json();
        keep.bind(1, std::string_view(facts.name)).bind(2, std::string_view(text));
        return keep.run();
    });
    return done ? set_missed(database, facts, missed_and_kept, chosen) : std::move(done).error();
}

Result<void> remove_chosen(storage::Database& database, ResourceFacts& facts, const std::string& chosen,
                           const ResourceSpec& spec, Instant now)
{
    SHELFD_TRY(forget_held(database, facts, chosen));
    const auto at = now.to_text();
    const PassStart start{
        .run_id = fmt::format("accepted-{}", now.to_short_text()), .mode = RunMode::accept, .started = now};
    ChangeFeed changes(database, facts, spec.changes, start.run_id, at);
    SHELFD_TRY_ASSIGN(removed,
                      remove_list_rows(database, facts, changes, chosen, {spec.keep_deleted, start.run_id, at}));
    facts.rows -= std::min(facts.rows, removed);
    return record_decision(database, facts, start, removed);
}

}  // namespace

Result<std::uint64_t> hold_missing(storage::Database& database, const ResourceFacts& facts, const Holding& holding)
{
    const auto missing = fmt::format("missed > 0{}", holding.within);
    SHELFD_TRY_ASSIGN(
        insert,
        database.prepare(
            "INSERT INTO _held (resource, item_key, since, run_id, kept, why) VALUES (?, ?, ?, ?, 0, ?) "
            "ON CONFLICT (resource, item_key) DO UPDATE SET run_id = excluded.run_id, kept = 0, why = excluded.why"));
    insert.bind(3, holding.since).bind(4, holding.run_id).bind(5, holding.why);
    auto held = for_each_key(database, facts, missing, [&](const ItemKey& key) {
        const auto text = key.to_json();
        insert.bind(1, std::string_view(facts.name)).bind(2, std::string_view(text));
        return insert.run();
    });
    if (!held) {
        return held;
    }
    SHELFD_TRY(set_missed(database, facts, missed_but_held, missing));
    return held;
}

Result<void> forget_held(storage::Database& database, const ResourceFacts& facts, const std::string& condition)
{
    SHELFD_TRY_ASSIGN(remove, database.prepare("DELETE FROM _held WHERE resource = ? AND item_key = ?"));
    auto done = for_each_key(database, facts, condition, [&](const ItemKey& key) {
        const auto text = key.to_json();
        remove.bind(1, std::string_view(facts.name)).bind(2, std::string_view(text));
        return remove.run();
    });
    return done ? Result<void>() : std::move(done).error();
}

Result<void> release_held_as(storage::Database& database, ResourceFacts& facts, std::string_view why,
                             std::string_view within)
{
    auto lines = database.prepare("SELECT item_key FROM _held WHERE resource = ? AND why = ? AND NOT kept");
    auto release = database.prepare(
        fmt::format("UPDATE {} SET missed = 0 WHERE missed = {} AND NOT _seen(ord){} AND ({}) = ({})", states_of(facts),
                    missed_but_held, within, key_list(facts.key.size(), "k{}"), key_list(facts.key.size(), "?{}")));
    auto forget = database.prepare("DELETE FROM _held WHERE resource = ? AND item_key = ?");
    if (!lines || !release || !forget) {
        return !lines ? std::move(lines).error() : !release ? std::move(release).error() : std::move(forget).error();
    }
    std::vector<std::string> held;
    lines->bind(1, std::string_view(facts.name)).bind(2, why);
    for (;;) {
        SHELFD_TRY_ASSIGN(row, lines->step());
        if (!row) {
            break;
        }
        held.emplace_back(lines->text(0));
    }
    for (const auto& text : held) {
        const auto key = read_key(text);
        if (!key || key->size() != facts.key.size()) {
            return Error(ErrorKind::corrupt,
                         fmt::format("_held has a line for {} that is no key: {}", facts.name, text));
        }
        key->bind(*release, 1);
        SHELFD_TRY(release->run());
        if (database.changes() == 0) {
            continue;  // of another slice
        }
        forget->bind(1, std::string_view(facts.name)).bind(2, std::string_view(text));
        SHELFD_TRY(forget->run());
    }
    return held.empty() ? Result<void>() : count_held(database, facts);
}

Result<std::vector<HeldRow>> list_held(storage::Database& database, const std::string& resource, std::size_t most)
{
    SHELFD_TRY_ASSIGN(
        rows, database.prepare(
                  "SELECT item_key, since, kept, why FROM _held WHERE resource = ? ORDER BY since, rowid LIMIT ?"));
    rows.bind(1, std::string_view(resource)).bind(2, static_cast<std::int64_t>(most));
    std::vector<HeldRow> held;
    for (;;) {
        auto row = rows.step();
        if (!row || !*row) {
            return row ? Result<std::vector<HeldRow>>(std::move(held)) : std::move(row).error();
        }
        auto& line = held.emplace_back();
        line.key = rows.text(0);
        line.since = Instant::from_rfc3339(rows.text(1)).value_or(Instant());
        line.kept = rows.integer(2) != 0;
        line.why = rows.text(3);
    }
}

Result<HeldOutcome> decide_held(storage::Database& database, ResourceFacts& facts, const HeldDecision& decision,
                                const ResourceSpec& spec, Instant now)
{
    SHELFD_TRY_ASSIGN(chosen, choose(database, facts, decision.keys));
    const auto condition = fmt::format("missed = {}", missed_and_chosen);
    const bool keep = decision.fate == HeldFate::keep;
    auto done = keep ? keep_chosen(database, facts, condition) : remove_chosen(database, facts, condition, spec, now);
    if (done) {
        done = count_held(database, facts);
    }
    if (done) {
        done = save_decision(database, facts);
    }
    if (done) {
        done = record_details(database, facts.name, facts.key.size(), now);
    }
    if (!done) {
        return std::move(done).error();
    }
    HeldOutcome outcome;
    outcome.rows = chosen;
    outcome.left = facts.held;
    return outcome;
}

}  // namespace shelfd::mirror
