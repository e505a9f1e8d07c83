#include "mirror/rows/change_feed.hpp"

#include "mirror/columns/columns.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/values/names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::mirror {

namespace {

// The members of `of` that `other` has not, or has otherwise.
std::vector<ItemMember> difference(const std::vector<ItemMember>& of, const std::vector<ItemMember>& other)
{
    std::vector<ItemMember> out;
    for (std::size_t i = 0; i < of.size(); ++i) {
        // Items of one shape have their members in one order.
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

// Of `_meta`: names of tables, each with a newline behind it.
constexpr std::string_view unwritten_key = "unwritten";

}  // namespace

Result<bool> record_unwritten(storage::Database& database, std::span<const ResourceSpec> resources)
{
    SHELFD_TRY_ASSIGN(stored, read_meta(database, unwritten_key));
    const auto before = stored.value_or("");
    auto now = "\n" + before;
    bool writes_again = false;
    for (const auto& spec : resources) {
        const auto line = "\n" + spec.name + "\n";
        const auto place = now.find(line);
        const bool is_noted = place != std::string::npos;
        if (spec.changes == ChangeDetail::none && !is_noted) {
            now += spec.name + "\n";
        } else if (spec.changes != ChangeDetail::none && is_noted) {
            now.erase(place, line.size() - 1);
            writes_again = true;
        }
    }
    now.erase(0, 1);
    if (now != before) {
        SHELFD_TRY(write_meta(database, unwritten_key, now));
    }
    return Result(writes_again);
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
    auto old = RowFinder::open(database_, facts_.name, facts_.name, published);
    auto rows =
        database_.prepare(fmt::format("SELECT {} FROM {}", columns.names(), identifier(staging_name(facts_.name))));
    if (!old || !rows) {
        return old ? std::move(rows).error() : std::move(old).error();
    }
    ItemReader reader(database_, facts_.name, columns);
    for (;;) {
        auto row = rows->step();
        if (!row || !*row) {
            return row ? Result<void>() : std::move(row).error();
        }
        const ItemKey key = key_of(*rows, 0, facts_.key.size());
        auto before = old->find(key);
        auto after = reader.members(*rows, 0);
        if (!before || !after) {
            return before ? std::move(after).error() : std::move(before).error();
        }
        if (!*before && wanted == Rows::known) {
            continue;
        }
        SHELFD_TRY(changed(key, *before, *after));
    }
}

Result<void> ChangeFeed::changed(const ItemKey& key, const std::optional<std::vector<ItemMember>>& before,
                                 const std::vector<ItemMember>& after)
{
    if (!before) {
        return line(key, "insert", "", to_json(after));
    }
    // Spaces, the order of members, an instant told in another zone: the same item in other letters.
    const auto was = difference(*before, after);
    const auto is = difference(after, *before);
    return was.empty() && is.empty() ? Result<void>() : line(key, "update", to_json(was), to_json(is));
}

Result<bool> ChangeFeed::since(storage::Database& before)
{
    if (detail_ == ChangeDetail::none) {
        return true;
    }
    SHELFD_TRY(database_.execute("SAVEPOINT comparison"));
    auto compared = compare(before);
    insert_.reset();
    if (!compared) {
        return compared;  // the transaction ends with it, this mark and all
    }
    SHELFD_TRY(database_.execute(*compared ? "RELEASE comparison" : "ROLLBACK TO comparison; RELEASE comparison"));
    return compared;
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
    if (auto done = came_since(*old, columns); !done || !*done) {
        return done;
    }
    return went_since(before, *old_columns, now);
}

Result<bool> ChangeFeed::came_since(RowFinder& old, const Columns& columns)
{
    SHELFD_TRY_ASSIGN(rows, database_.prepare(all_rows(facts_.name, columns)));
    ItemReader reader(database_, facts_.name, columns);
    for (;;) {
        auto row = rows.step();
        if (!row || !*row) {
            return row ? Result(true) : std::move(row).error();
        }
        const ItemKey key = key_of(rows, 0, facts_.key.size());
        SHELFD_TRY_ASSIGN(is, reader.members(rows, 0));
        const auto was = old.find(key);
        if (!was) {
            return false;
        }
        SHELFD_TRY(changed(key, *was, is));
    }
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
        held->bind(1, std::string_view(facts_.name)).bind(2, std::string_view(text));
        const auto was_held = held->step();
        held->reset();
        if (!was_held) {
            return false;
        }
        SHELFD_TRY(*was_held ? Result<void>() : line(key, "delete", to_json(*was), ""));
    }
}

Result<void> ChangeFeed::removed(const std::string& condition)
{
    if (detail_ == ChangeDetail::none) {
        return {};
    }
    SHELFD_TRY_ASSIGN(columns, Columns::load(database_, facts_.name, facts_.key));
    std::string key;
    for (std::size_t part = 1; part <= facts_.key.size(); ++part) {
        key += fmt::format("{}k{}", part == 1 ? "" : ", ", part);
    }
    auto old = RowFinder::open(database_, facts_.name, facts_.name, columns);
    auto states = database_.prepare(
        fmt::format("SELECT {} FROM {} WHERE {}", key, identifier(state_name(facts_.name)), condition));
    if (!old || !states) {
        return old ? std::move(states).error() : std::move(old).error();
    }
    for (;;) {
        auto row = states->step();
        if (!row || !*row) {
            return row ? Result<void>() : std::move(row).error();
        }
        const ItemKey gone = key_of(*states, 0, facts_.key.size());
        SHELFD_TRY_ASSIGN(before, old->find(gone));
        SHELFD_TRY(line(gone, "delete", before ? to_json(*before) : "", ""));
    }
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
    insert_->bind(1, std::string_view(seen_at_)).bind(2, std::string_view(run_id_));
    insert_->bind(3, std::string_view(facts_.name)).bind(4, std::string_view(key_text)).bind(5, std::string_view(op));
    const auto value = [&](int parameter, const std::string& text) {
        if (text.empty() || detail_ == ChangeDetail::keys) {
            insert_->bind_null(parameter);
        } else {
            insert_->bind(parameter, std::string_view(text));
        }
    };
    value(6, before);
    value(7, after);
    return insert_->run();
}

}  // namespace shelfd::mirror
