#include "mirror/rows/states.hpp"

#include "mirror/records/departed_rows.hpp"
#include "mirror/records/row_state_sql.hpp"
#include "mirror/values/names.hpp"
#include "mirror/values/state_shape.hpp"

#include <fmt/format.h>

namespace shelfd::mirror {

namespace {

// If a scan over the range of a page's keys reads more rows per item, separate searches are cheaper.
constexpr std::size_t scan_bargain = 4;

}  // namespace

std::string state_definition(const std::string& table, const StateShape& shape)
{
    const std::string rest = fmt::format("hash BLOB NOT NULL, ord INTEGER NOT NULL, missed INTEGER NOT NULL{}",
                                         shape.placed ? ", place INTEGER NOT NULL" : "");
    if (shape.integer_keys) {
        return fmt::format("CREATE TABLE {} (k1 INTEGER PRIMARY KEY, {})", identifier(table), rest);
    }
    const auto key = key_list(shape.key_size, "k{}");
    return fmt::format("CREATE TABLE {0} ({1}, {2}, PRIMARY KEY ({1})) WITHOUT ROWID", identifier(table), key, rest);
}

StateTable::StateTable(storage::Database& database, const std::string& table, const StateShape& shape)
    : database_(database), name_(identifier(table)), shape_(shape)
{
    const auto* const place = shape.placed ? ", place" : "";
    const auto where = key_list(shape.key_size, "k{} = ?", " AND ");
    scan_sql_ = fmt::format("SELECT k1, hash, ord, missed{} FROM {} WHERE k1 BETWEEN ? AND ?", place, name_);
    find_sql_ = fmt::format("SELECT hash, ord, missed{} FROM {} WHERE {}", place, name_, where);
    const auto size = shape.key_size;
    insert_sql_ = fmt::format("INSERT OR REPLACE INTO {} SELECT {}, c0, c{}, 0{} FROM ", name_, key_list(size, "c{}"),
                              size + 1, shape.placed ? fmt::format(", c{}", size + 2) : "");
}

RowState StateTable::state_of(const storage::Statement& row, int column) const
{
    // A row that its own address has placed in this window was there before the walk: it does not enter during it.
    const auto missed = row.integer(column + 2);
    return {ContentHash::from_bytes(row.blob(column)), row.integer(column + 1),
            shape_.placed ? row.integer(column + 3) : 0, missed != 0 && missed < missed_and_moved};
}

Result<storage::Statement*> StateTable::prepared(std::optional<storage::Statement>& statement, const std::string& sql)
{
    if (!statement) {
        SHELFD_TRY_ASSIGN(made, database_.prepare(sql));
        statement.emplace(std::move(made));
    }
    return &*statement;
}

Result<void> StateTable::look_up(Page& page, std::optional<RowState> PageItem::*into)
{
    if (page.items.empty()) {
        return {};
    }
    if (shape_.integer_keys) {
        SHELFD_TRY_ASSIGN(scanned, scan(page, into));
        if (scanned) {
            return {};
        }
    }
    for (auto& item : page.items) {
        SHELFD_TRY(find(item, into));
    }
    return {};
}

// In lists by key, a page has neighbours: one range is read instead of a search for each item. Returns false if the
// keys turn out to be too far apart.
Result<bool> StateTable::scan(Page& page, std::optional<RowState> PageItem::*into)
{
    const auto& lowest = page.items[page.sorted.front()].key;
    const auto& highest = page.items[page.sorted.back()].key;
    if (!lowest.is_integer() || !highest.is_integer()) {
        return false;
    }
    SHELFD_TRY_ASSIGN(statement, prepared(scan_, scan_sql_));
    storage::Statement& rows = *statement;
    rows.bind(1, lowest.first.integer).bind(2, highest.first.integer);
    const std::size_t limit = scan_bargain * page.items.size() + 64;
    std::size_t place = 0;
    for (std::size_t read = 0; read < limit; ++read) {
        SHELFD_TRY_ASSIGN(row, rows.step());
        if (!row) {
            rows.reset();
            return true;
        }
        const std::int64_t key = rows.integer(0);
        while (place < page.sorted.size() && page.items[page.sorted[place]].key.first.integer < key) {
            ++place;
        }
        if (place < page.sorted.size() && page.items[page.sorted[place]].key.first.integer == key) {
            page.items[page.sorted[place]].*into = state_of(rows, 1);
        }
    }
    rows.reset();
    return false;
}

Result<void> StateTable::find(PageItem& item, std::optional<RowState> PageItem::*into)
{
    // In an integer column SQLite would treat the text "7" as the number.
    if (shape_.integer_keys && !item.key.is_integer()) {
        return {};
    }
    SHELFD_TRY_ASSIGN(statement, prepared(find_, find_sql_));
    storage::Statement& row = *statement;
    item.key.bind(row, 1);
    SHELFD_TRY_ASSIGN(found, row.step());
    if (found) {
        item.*into = state_of(row, 0);
    }
    row.reset();
    return {};
}

void StateTable::take(const ItemKey& key, const RowState& state)
{
    const auto size = shape_.key_size;
    rows_.begin_row(size + 3);
    rows_.set_blob(0, state.hash.bytes());
    key.put(rows_, 1);
    rows_.set(size + 1, state.ordinal);
    rows_.set(size + 2, state.place);
}

Result<void> StateTable::write()
{
    SHELFD_TRY_ASSIGN(source, database_.row_source(shape_.key_size + 3));
    SHELFD_TRY_ASSIGN(statement, prepared(insert_, insert_sql_ + source + "(?)"));
    return statement->bind_rows(1, rows_).run();
}

Result<std::optional<std::int64_t>> StateTable::highest(std::size_t part, const std::string& condition)
{
    // The highest rowid is found at the end of the tree; other tables may have keys of several types.
    const auto whole = shape_.integer_keys ? std::string() : fmt::format("typeof(k{}) = 'integer' AND ", part);
    SHELFD_TRY_ASSIGN(
        query, database_.prepare(fmt::format("SELECT max(k{}) FROM {} WHERE {}{}", part, name_, whole, condition)));
    SHELFD_TRY(query.step());
    return query.is_null(0) ? std::nullopt : std::optional(query.integer(0));
}

bool SeenRows::mark(std::int64_t ordinal, const ItemKey& key)
{
    const auto place = static_cast<std::size_t>(ordinal) / 64;
    const std::uint64_t bit = std::uint64_t{1} << (static_cast<std::uint64_t>(ordinal) % 64);
    if (place >= bits_.size()) {
        bits_.resize(place + place / 2 + 64);
    }
    if ((bits_[place] & bit) != 0) {
        return false;
    }
    bits_[place] |= bit;
    ++count_;
    const auto hash =
        key.is_integer()
            ? content_hash({reinterpret_cast<const char*>(&key.first.integer), sizeof key.first.integer}, 2)
            : content_hash(key.to_json(), 3);
    sum_first_ += hash.first;
    sum_second_ += hash.second;
    return true;
}

bool SeenRows::contains(std::int64_t ordinal) const
{
    const auto place = static_cast<std::size_t>(ordinal) / 64;
    return place < bits_.size() && (bits_[place] >> (static_cast<std::uint64_t>(ordinal) % 64) & 1) != 0;
}

std::string SeenRows::digest() const
{
    return fmt::format("{:016x}{:016x}", sum_first_, sum_second_);
}

Result<void> define_seen(storage::Database& database, const SeenRows& seen)
{
    return database.define_predicate("_seen", [&seen](std::int64_t ordinal) { return seen.contains(ordinal); });
}

}  // namespace shelfd::mirror
