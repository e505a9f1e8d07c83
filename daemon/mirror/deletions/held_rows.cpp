#include "mirror/deletions/held_rows.hpp"

#include "base/words/key_form.hpp"
#include "mirror/deletions/row_deletions.hpp"
#include "mirror/details/details.hpp"
#include "mirror/json/text.hpp"
#include "mirror/records/row_state_sql.hpp"
#include "mirror/records/runs.hpp"
#include "mirror/rows/change_feed.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

namespace shelfd::mirror {

namespace {

// Marks the rows of a decision while it is carried out.
constexpr int missed_and_chosen = -2;

// Calls `use` with the key of each row whose state meets `condition`. `use` must not write to the states.
template <typename Use>
Result<std::uint64_t> for_each_key(storage::Database& database, const ResourceFacts& facts,
                                   const std::string& condition, Use use)
{
    const auto sql =
        fmt::format("SELECT {} FROM {} WHERE {}", key_list(facts.key.size(), "k{}"), states_of(facts), condition);
    std::uint64_t count = 0;
    SHELFD_TRY(storage::each_row(database, sql, [&](const storage::Statement& row) -> Result<void> {
        ++count;
        return use(key_of(row, 0, facts.key.size()));
    }));
    return count;
}

Result<void> set_missed(storage::Database& database, const ResourceFacts& facts, int missed,
                        const std::string& condition)
{
    return database.execute(fmt::format("UPDATE {} SET missed = {} WHERE {}", states_of(facts), missed, condition));
}

// Returns a key as in `_held` for what a person typed: JSON, or a text without its quotes.
Result<std::string> held_key(storage::Database& database, const ResourceFacts& facts, const std::string& typed)
{
    SHELFD_TRY_ASSIGN(found, storage::read_texts(database,
                                                 "SELECT item_key FROM _held WHERE resource = ? AND item_key IN (?, ?)",
                                                 facts.name, typed, quoted_json(typed)));
    if (found.empty()) {
        const auto key = read_key(typed);
        const bool is_whole = facts.key.size() == 1 || (key && key->size() == facts.key.size());
        return Error(ErrorKind::not_found, fmt::format("{} is not a held row of {}{}", typed, facts.name,
                                                       is_whole ? "" : ": " + key_form(facts.key)));
    }
    return std::move(found.front());
}

// Parses a key of `_held`.
Result<ItemKey> read_held_key(const ResourceFacts& facts, const std::string& text)
{
    const auto key = read_key(text);
    if (!key || key->size() != facts.key.size()) {
        return Error(ErrorKind::corrupt,
                     fmt::format("_held has a line for {} that is not a key: {}", facts.name, text));
    }
    return *key;
}

// Marks the named rows, or all that wait for a decision, in the states. Returns their number.
Result<std::uint64_t> choose(storage::Database& database, const ResourceFacts& facts,
                             const std::vector<std::string>& keys)
{
    std::vector<std::string> chosen;
    for (const auto& typed : keys) {
        SHELFD_TRY_ASSIGN(key, held_key(database, facts, typed));
        chosen.push_back(std::move(key));
    }
    if (keys.empty()) {
        SHELFD_TRY_ASSIGN(
            waiting,
            storage::read_texts(database, "SELECT item_key FROM _held WHERE resource = ? AND NOT kept", facts.name));
        chosen = std::move(waiting);
    }
    SHELFD_TRY_ASSIGN(mark, database.prepare(fmt::format("UPDATE {} SET missed = {} WHERE {}", states_of(facts),
                                                         missed_and_chosen, key_is(facts))));
    for (const auto& text : chosen) {
        SHELFD_TRY_ASSIGN(key, read_held_key(facts, text));
        key.bind(mark, 1);
        SHELFD_TRY(mark.run());
    }
    return static_cast<std::uint64_t>(chosen.size());
}

// A decision is a run without requests, with the user who took it.
Result<void> record_run(storage::Database& database, const ResourceFacts& facts, const PassStart& start,
                        std::uint64_t deleted, const std::string& asked_by)
{
    SHELFD_TRY(record_decision(database, facts, start, deleted));
    return asked_by.empty() ? Result<void>() : record_asker(database, facts.name, start.run_id, asked_by);
}

Result<void> keep_chosen(storage::Database& database, const ResourceFacts& facts, const std::string& chosen)
{
    SHELFD_TRY_ASSIGN(keep, database.prepare("UPDATE _held SET kept = 1 WHERE resource = ? AND item_key = ?"));
    SHELFD_TRY(for_each_key(database, facts, chosen,
                            [&](const ItemKey& key) { return storage::run(keep, facts.name, key.to_json()); }));
    return set_missed(database, facts, missed_and_kept, chosen);
}

Result<std::uint64_t> remove_chosen(storage::Database& database, ResourceFacts& facts, const std::string& chosen,
                                    const ResourceSpec& spec, const PassStart& start)
{
    SHELFD_TRY(forget_held(database, facts, chosen));
    const auto at = start.started.to_text();
    ChangeFeed changes(database, facts, spec.changes, start.run_id, at);
    SHELFD_TRY_ASSIGN(removed,
                      remove_list_rows(database, facts, changes, chosen, {spec.keep_deleted, start.run_id, at}));
    facts.rows -= std::min(facts.rows, removed);
    return removed;
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
    SHELFD_TRY_ASSIGN(held, for_each_key(database, facts, missing, [&](const ItemKey& key) {
                          return storage::run(insert, facts.name, key.to_json(), holding.since, holding.run_id,
                                              holding.why);
                      }));
    SHELFD_TRY(set_missed(database, facts, missed_but_held, missing));
    return held;
}

Result<void> forget_held(storage::Database& database, const ResourceFacts& facts, const std::string& condition)
{
    SHELFD_TRY_ASSIGN(remove, database.prepare("DELETE FROM _held WHERE resource = ? AND item_key = ?"));
    SHELFD_TRY(for_each_key(database, facts, condition,
                            [&](const ItemKey& key) { return storage::run(remove, facts.name, key.to_json()); }));
    return {};
}

Result<void> release_held_as(storage::Database& database, ResourceFacts& facts, std::string_view why,
                             std::string_view within)
{
    SHELFD_TRY_ASSIGN(
        held, storage::read_texts(database, "SELECT item_key FROM _held WHERE resource = ? AND why = ? AND NOT kept",
                                  facts.name, why));
    SHELFD_TRY_ASSIGN(
        release, database.prepare(fmt::format("UPDATE {} SET missed = 0 WHERE missed = {} AND NOT _seen(ord){} AND {}",
                                              states_of(facts), missed_but_held, within, key_is(facts))));
    SHELFD_TRY_ASSIGN(forget, database.prepare("DELETE FROM _held WHERE resource = ? AND item_key = ?"));
    for (const auto& text : held) {
        SHELFD_TRY_ASSIGN(key, read_held_key(facts, text));
        key.bind(release, 1);
        SHELFD_TRY(release.run());
        if (database.changes() == 0) {
            continue;  // in another slice
        }
        SHELFD_TRY(storage::run(forget, facts.name, text));
    }
    return held.empty() ? Result<void>() : count_held(database, facts);
}

Result<std::vector<HeldRow>> list_held(storage::Database& database, const std::string& resource, std::size_t most)
{
    constexpr const char* sql =
        "SELECT item_key, since, kept, why FROM _held WHERE resource = ? ORDER BY since, rowid LIMIT ?";
    std::vector<HeldRow> held;
    const auto add = [&](const storage::Statement& row) {
        held.push_back({std::string(row.text(0)), Instant::from_rfc3339(row.text(1)).value_or(Instant()),
                        row.integer(2) != 0, std::string(row.text(3))});
    };
    SHELFD_TRY(storage::each_row(database, sql, add, resource, most));
    return held;
}

Result<HeldOutcome> decide_held(storage::Database& database, ResourceFacts& facts, const HeldDecision& decision,
                                const ResourceSpec& spec, Instant now)
{
    SHELFD_TRY_ASSIGN(chosen, choose(database, facts, decision.keys));
    const auto condition = fmt::format("missed = {}", missed_and_chosen);
    const bool keep = decision.fate == HeldFate::keep;
    const PassStart start{.run_id = fmt::format("{}-{}", keep ? "kept" : "accepted", now.to_short_text()),
                          .mode = keep ? RunMode::keep : RunMode::accept,
                          .started = now};
    std::uint64_t removed = 0;
    if (keep) {
        SHELFD_TRY(keep_chosen(database, facts, condition));
    } else {
        SHELFD_TRY_ASSIGN(gone, remove_chosen(database, facts, condition, spec, start));
        removed = gone;
    }
    SHELFD_TRY(record_run(database, facts, start, removed, decision.asked_by));
    SHELFD_TRY(count_held(database, facts));
    SHELFD_TRY(save_decision(database, facts));
    SHELFD_TRY(record_details(database, facts.name, facts.key.size(), now));
    return HeldOutcome{.rows = chosen, .left = facts.held};
}

}  // namespace shelfd::mirror
