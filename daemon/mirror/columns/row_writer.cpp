#include "mirror/columns/row_writer.hpp"

#include "base/words/digits.hpp"
#include "mirror/columns/stored_value.hpp"
#include "mirror/values/names.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::mirror {

namespace {

constexpr std::size_t sample_bytes = 200;

// Does not split a character: removes its bytes before the cut as well.
std::string shortened(std::string_view text)
{
    if (text.size() <= sample_bytes) {
        return std::string(text);
    }
    std::size_t end = sample_bytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) {
        --end;
    }
    return std::string(text.substr(0, end)) + "…";
}

// JSON text like "0032470".
bool is_text_of_digits(std::string_view sample)
{
    const bool is_text = sample.size() > 2 && sample.front() == '"' && sample.back() == '"';
    return is_text && std::all_of(sample.begin() + 1, sample.end() - 1, is_digit);
}

void put_value(storage::RowBatch& rows, std::size_t place, const Encoded& value)
{
    switch (value.storage) {
    case Storage::null: break;
    case Storage::integer: rows.set(place, value.integer); break;
    case Storage::real: rows.set(place, value.real); break;
    case Storage::text: rows.set(place, value.text); break;
    }
}

constexpr std::size_t shape_place = 0;
constexpr std::size_t exact_place = 1;

}  // namespace

RowWriter::RowWriter(storage::Database& database, std::string table, Columns& columns)
    : database_(database), table_(std::move(table)), columns_(columns)
{
}

// A column keeps its position when others are added.
void RowWriter::find_places()
{
    places_.resize(columns_.size());
    for (std::size_t column = 0; column < places_.size(); ++column) {
        if (columns_[column].stored && places_[column] == 0) {
            places_[column] = width_++;
        }
    }
}

void RowWriter::take(const PageItem& item, std::span<const Member> members, const MemberPlaces& member_places)
{
    if (width_ != columns_.stored() + 2 || places_.size() != columns_.size()) {
        find_places();
    }
    rows_.begin_row(width_);
    workshop_.clear();
    exact_.clear();
    for (std::size_t i = 0; i < members.size(); ++i) {
        const MemberPlaces::Place place = member_places.places[i];
        put(item, members[i], place, member_places.shape.has_value());
        if (!member_places.shape && place.treatment == MemberPlaces::Treatment::plain) {
            keep_exact(members[i]);
        }
    }
    if (member_places.shape) {
        rows_.set(shape_place, *member_places.shape);
    }
    if (!exact_.empty()) {
        exact_ += '}';
        rows_.set(exact_place, std::string_view(exact_));
    }
}

Result<void> RowWriter::write()
{
    if (rows_.size() == 0) {
        return {};
    }
    if (prepared_for_ != width_) {
        SHELFD_TRY(prepare());
    }
    return insert_->bind_rows(1, rows_).run();
}

Result<void> RowWriter::prepare()
{
    find_places();
    SHELFD_TRY_ASSIGN(source, database_.row_source(width_));
    std::string values;
    for (std::size_t column = 0; column < columns_.size(); ++column) {
        if (columns_[column].stored) {
            values += fmt::format("c{}, ", places_[column]);
        }
    }
    SHELFD_TRY_ASSIGN(insert, database_.prepare(fmt::format(
                                  "INSERT OR REPLACE INTO {} ({}) SELECT {}c{}, c{} FROM {}(?)", identifier(table_),
                                  columns_.names(), values, shape_place, exact_place, source)));
    insert_.emplace(std::move(insert));
    prepared_for_ = width_;
    return {};
}

Result<void> RowWriter::each_differing(const TakeStored& take)
{
    if (rows_.size() == 0) {
        return {};
    }
    if (compares_ != width_) {
        SHELFD_TRY(prepare_comparison());
    }
    compare_->bind_rows(1, rows_);
    auto taken = storage::each_row(*compare_, [&take](const storage::Statement& row) {
        return take(static_cast<std::size_t>(row.integer(0)), row);
    });
    compare_->reset();
    return taken;
}

bool RowWriter::means_stored(std::size_t row, const storage::Statement& stored) const
{
    int place = 1;
    for (std::size_t column = 0; column < columns_.size(); ++column) {
        if (columns_[column].stored && !means_same(stored, place++, rows_.value(row, places_[column]))) {
            return false;
        }
    }
    return true;
}

// SQLite compares the values, with the affinity of the table's columns.
Result<void> RowWriter::prepare_comparison()
{
    find_places();
    SHELFD_TRY_ASSIGN(source, database_.row_source(width_));
    std::string same_key;
    std::string stored;  // columns of the table
    std::string taken;   // those of the batch
    for (std::size_t column = 0; column < columns_.size(); ++column) {
        if (!columns_[column].stored) {
            continue;
        }
        const auto name = "t." + identifier(columns_[column].name);
        const auto place = fmt::format("n.c{}", places_[column]);
        if (column < columns_.key_size()) {
            same_key += fmt::format("{}{} = {}", column == 0 ? "" : " AND ", name, place);
        }
        stored += name + ", ";
        taken += place + ", ";
    }
    SHELFD_TRY_ASSIGN(compare,
                      database_.prepare(fmt::format(
                          "SELECT n.rowid, {0}t._shape, t._exact FROM {1}(?) AS n LEFT JOIN {2} AS t ON {3} WHERE "
                          "({0}t._shape, t._exact) IS NOT ({4}n.c{5}, n.c{6})",
                          stored, source, identifier(table_), same_key, taken, shape_place, exact_place)));
    compare_.emplace(std::move(compare));
    compares_ = width_;
    return {};
}

void RowWriter::put(const PageItem& item, const Member& member, MemberPlaces::Place place, bool shaped)
{
    if (place.treatment != MemberPlaces::Treatment::plain) {
        keep_exact(member);
        if (place.treatment == MemberPlaces::Treatment::exact_only) {
            return;
        }
    }
    const bool alone = place.treatment == MemberPlaces::Treatment::plain && shaped;  // not in `_exact` yet
    const Column& column = columns_[place.column];
    if (!column.stored) {
        // A null is not stored: the shape names its key. A value is not stored in a column only if the table is full.
        if (member.type != JsonType::null && alone) {
            keep_exact(member);
        }
        return;
    }
    const Encoded value = encode(column.kind, member, workshop_);
    put_value(rows_, places_[place.column], value);
    if (!value.exact && alone) {
        keep_exact(member);
    }
    if (!value.exact || column.kind == Kind::json) {
        const ValueClass found = class_of(member);
        if (found != is_null && !expects(column.kind, found)) {
            add_drift(item, place.column, found, member.value);
        }
    }
}

void RowWriter::keep_exact(const Member& member)
{
    exact_.append(exact_.empty() ? "{\"" : ",\"").append(member.key).append("\":").append(member.value);
}

void RowWriter::add_drift(const PageItem& item, std::size_t column, ValueClass found, std::string_view sample)
{
    Drift& drift = drifts_[{column, found}];
    // One that the table shows as a number tells more than any other.
    if (drift.items++ == 0 || (is_text_of_digits(sample) && !is_text_of_digits(drift.sample))) {
        drift.expected = columns_[column].kind;
        drift.item_key = item.key.to_json();
        drift.sample = shortened(sample);
    }
}

Drifts RowWriter::take_key_drifts()
{
    Drifts told;
    for (auto& [what, drift] : drifts_) {
        if (what.first < columns_.key_size()) {
            told.emplace(what, drift);
            drift.told = drift.items;
        }
    }
    return told;
}

}  // namespace shelfd::mirror
