#include "mirror/rows/change_feed.hpp"

#include "base/state/unwritten_tables.hpp"
#include "mirror/columns/columns.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/records/row_state_sql.hpp"
#include "mirror/values/names.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::mirror {

namespace {

// Returns the members of `of` that `other` lacks or has with another value.
std::vector<ItemMember> difference(const std::vector<ItemMember>& of, const std::vector<ItemMember>& other)
{
    std::vector<ItemMember> out;
    for (std::size_t i = 0; i < of.size(); ++i) {
        // Items of one shape have their members in the same order.
        if (i < other.size() && other[i].key == of[i].key && other[i].value == of[i].value) {
            continue;
        }
        const bool same = std::any_of(other.begin(), other.end(), [&](const ItemMember& member) {
            return member.key == of[i].key && member.value == of[i].value;
        });
        if (!same) {
            out.push_back(of[i]);
        }
    }
    return out;
}

std::string all_rows(const std::string& table, const Columns& columns)
{
    return fmt::format("SELECT {} FROM {}", columns.names(), identifier(table));
}

}  // namespace

Result<bool> record_unwritten(storage::Database& database, std::span<const ResourceSpec> resources)
{
    SHELFD_TRY_ASSIGN(stored, read_meta(database, unwritten_key));
    const auto before = stored.value_or("");
    UnwrittenTables tables(before);
    bool writes_again = false;
    for (const auto& spec : resources) {
        const bool is_noted = tables.contains(spec.name);
        if (spec.changes == ChangeDetail::none && !is_noted) {
            tables.add(spec.name);
        } else if (spec.changes != ChangeDetail::none && is_noted) {
            tables.remove(spec.name);
            writes_again = true;
        }
    }
    if (const auto now = tables.to_text(); now != before) {
        SHELFD_TRY(write_meta(database, unwritten_key, now));
    }
    return writes_again;
}

ChangeFeed::ChangeFeed(storage::Database& database, const ResourceFacts& facts, ChangeDetail detail, std::string run_id,
                       std::string seen_at)
    : database_(database), facts_(facts), detail_(detail), run_id_(std::move(run_id)), seen_at_(std::move(seen_at))
{
}

Result<void> ChangeFeed::staged(const Columns& columns, Rows wanted)
{
    if (detail_ == ChangeDetail::none) {
        return {};
    }
    SHELFD_TRY_ASSIGN(published, Columns::load(database_, facts_.name, facts_.key));
    SHELFD_TRY_ASSIGN(old, RowFinder::open(database_, facts_.name, facts_.name, published));
    ItemReader reader(database_, facts_.name, columns);
    const auto compare_row = [&](const storage::Statement& row) -> Result<void> {
        const ItemKey key = key_of(row, 0, facts_.key.size());
        SHELFD_TRY_ASSIGN(before, old.find(key));
        SHELFD_TRY_ASSIGN(after, reader.members(row, 0));
        return before || wanted == Rows::all ? changed(key, before, after) : Result<void>();
    };
    return storage::each_row(database_, all_rows(staging_name(facts_.name), columns), compare_row);
}

Result<void> ChangeFeed::changed(const ItemKey& key, const std::optional<std::vector<ItemMember>>& before,
                                 const std::vector<ItemMember>& after)
{
    if (!before) {
        return line(key, "insert", "", to_json(after));
    }
    // Blanks, the order of members and time zones may differ: these are not changes.
    const auto was = difference(*before, after);
    const auto is = difference(after, *before);
    return was.empty() && is.empty() ? Result<void>() : line(key, "update", to_json(was), to_json(is));
}

Result<void> ChangeFeed::put_right(const ItemKey& key, const std::optional<std::vector<ItemMember>>& before,
                                   const std::vector<ItemMember>& after)
{
    return detail_ == ChangeDetail::none ? Result<void>() : changed(key, before, after);
}

Result<bool> ChangeFeed::since(storage::Database& before)
{
    if (detail_ == ChangeDetail::none) {
        return true;
    }
    SHELFD_TRY(database_.execute("SAVEPOINT comparison"));
    auto compared = compare(before);
    insert_.reset();
    if (compared) {
        SHELFD_TRY(database_.execute(*compared ? "RELEASE comparison" : "ROLLBACK TO comparison; RELEASE comparison"));
    }
    return compared;  // after an error the whole transaction is rolled back, including this savepoint
}

Result<bool> ChangeFeed::compare(storage::Database& before)
{
    auto old_columns = Columns::load(before, facts_.name, facts_.key);
    if (!old_columns) {
        return false;
    }
    auto old = RowFinder::open(before, facts_.name, facts_.name, *old_columns);
    if (!old) {
        return false;
    }
    SHELFD_TRY_ASSIGN(columns, Columns::load(database_, facts_.name, facts_.key));
    SHELFD_TRY_ASSIGN(now, RowFinder::open(database_, facts_.name, facts_.name, columns));
    SHELFD_TRY_ASSIGN(is_readable, came_since(*old, columns));
    return is_readable ? went_since(before, *old_columns, now) : false;
}

Result<bool> ChangeFeed::came_since(RowFinder& old, const Columns& columns)
{
    ItemReader reader(database_, facts_.name, columns);
    bool is_readable = true;
    const auto compare_row = [&](const storage::Statement& row) -> Result<bool> {
        const ItemKey key = key_of(row, 0, facts_.key.size());
        SHELFD_TRY_ASSIGN(is, reader.members(row, 0));
        const auto was = old.find(key);
        is_readable = was.has_value();
        if (was) {
            SHELFD_TRY(changed(key, *was, is));
        }
        return is_readable;
    };
    SHELFD_TRY(storage::each_row(database_, all_rows(facts_.name, columns), compare_row));
    return is_readable;
}

Result<bool> ChangeFeed::went_since(storage::Database& before, const Columns& old_columns, RowFinder& now)
{
    auto old_rows = before.prepare(all_rows(facts_.name, old_columns));
    auto held = before.prepare("SELECT 1 FROM _held WHERE resource = ? AND item_key = ?");
    if (!old_rows || !held) {
        return false;
    }
    ItemReader reader(before, facts_.name, old_columns);
    for (;;) {
        const auto row = old_rows->step();
        if (!row || !*row) {
            return row.has_value();
        }
        const ItemKey key = key_of(*old_rows, 0, facts_.key.size());
        const auto was = reader.members(*old_rows, 0);
        if (!was) {
            return false;
        }
        SHELFD_TRY_ASSIGN(is, now.find(key));
        if (is) {
            continue;
        }
        const auto text = key.to_json();
        storage::bind_all(*held, facts_.name, text);
        const auto was_held = held->step();
        held->reset();
        if (!was_held) {
            return false;
        }
        if (!*was_held) {
            SHELFD_TRY(line(key, "delete", to_json(*was), ""));
        }
    }
}

Result<void> ChangeFeed::removed(const std::string& condition)
{
    if (detail_ == ChangeDetail::none) {
        return {};
    }
    SHELFD_TRY_ASSIGN(columns, Columns::load(database_, facts_.name, facts_.key));
    SHELFD_TRY_ASSIGN(old, RowFinder::open(database_, facts_.name, facts_.name, columns));
    const auto sql =
        fmt::format("SELECT {} FROM {} WHERE {}", key_list(facts_.key.size(), "k{}"), states_of(facts_), condition);
    return storage::each_row(database_, sql, [&](const storage::Statement& row) -> Result<void> {
        const ItemKey gone = key_of(row, 0, facts_.key.size());
        SHELFD_TRY_ASSIGN(before, old.find(gone));
        return line(gone, "delete", before ? to_json(*before) : "", "");
    });
}

Result<void> ChangeFeed::line(const ItemKey& key, const char* op, const std::string& before, const std::string& after)
{
    if (!insert_) {
        SHELFD_TRY_ASSIGN(made, database_.prepare(R"sql(
            INSERT INTO _changes (seen_at, run_id, resource, item_key, op, before, after) VALUES (?, ?, ?, ?, ?, ?, ?)
        )sql"));
        insert_.emplace(std::move(made));
    }
    const auto key_text = key.to_json();
    const auto value = [this](const std::string& text) {
        return text.empty() || detail_ == ChangeDetail::keys ? std::nullopt : std::optional<std::string_view>(text);
    };
    return storage::run(*insert_, seen_at_, run_id_, facts_.name, key_text, op, value(before), value(after));
}

}  // namespace shelfd::mirror
