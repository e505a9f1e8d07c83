#include "mirror/row_writer.hpp"

#include "mirror/names.hpp"

#include <fmt/format.h>

namespace shelfd::mirror {

namespace {

constexpr std::size_t sample_bytes = 200;

// Never half a character: continuation bytes at the cut go, too.
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

void bind(storage::Statement& statement, int parameter, const Encoded& value)
{
    switch (value.storage) {
    case Storage::null: statement.bind_null(parameter); break;
    case Storage::integer: statement.bind(parameter, value.integer); break;
    case Storage::real: statement.bind(parameter, value.real); break;
    case Storage::text: statement.bind(parameter, value.text); break;
    }
}

}  // namespace

RowWriter::RowWriter(storage::Database& database, std::string table, Columns& columns)
    : database_(database), table_(std::move(table)), columns_(columns)
{
}

Result<void> RowWriter::prepare()
{
    std::string marks;
    parameters_.assign(columns_.size(), 0);
    int next = 1;
    for (std::size_t place = 0; place < columns_.size(); ++place) {
        if (columns_[place].stored) {
            parameters_[place] = next++;
            marks += "?, ";
        }
    }
    auto insert = database_.prepare(
        fmt::format("INSERT OR REPLACE INTO {} ({}) VALUES ({}?, ?)", identifier(table_), columns_.names(), marks));
    if (!insert) {
        return std::move(insert).error();
    }
    insert_.emplace(std::move(*insert));
    prepared_for_ = columns_.stored();
    bound_layout_ = 0;
    return {};
}

Result<void> RowWriter::write(const PageItem& item, std::span<const Member> members, const Layout& layout)
{
    if (!insert_ || prepared_for_ != columns_.stored()) {
        if (auto prepared = prepare(); !prepared) {
            return prepared;
        }
    }
    if (layout.serial != bound_layout_) {
        insert_->clear_bindings();  // what this layout lacks must not stay from the row before
        bound_layout_ = layout.serial;
    }
    workshop_.clear();
    exact_.clear();
    for (std::size_t i = 0; i < members.size(); ++i) {
        const Layout::Place place = layout.places[i];
        put(item, members[i], place, layout.shape.has_value());
        if (!layout.shape && place.treatment == Layout::Treatment::plain) {
            keep_exact(members[i]);
        }
    }
    const int next = static_cast<int>(prepared_for_) + 1;
    if (layout.shape) {
        insert_->bind(next, *layout.shape);
    } else {
        insert_->bind_null(next);
    }
    if (exact_.empty()) {
        insert_->bind_null(next + 1);
    } else {
        exact_ += '}';
        insert_->bind(next + 1, std::string_view(exact_));
    }
    return insert_->run();
}

void RowWriter::put(const PageItem& item, const Member& member, Layout::Place place, bool shaped)
{
    if (place.treatment != Layout::Treatment::plain) {
        keep_exact(member);
        if (place.treatment == Layout::Treatment::exact_only) {
            return;
        }
    }
    const bool alone = place.treatment == Layout::Treatment::plain && shaped;  // not in `_exact` so far
    const Column& column = columns_[place.column];
    if (!column.stored) {
        // A null needs no place: the shape names its key. A value has none only when the table is full.
        if (member.type != JsonType::null && alone) {
            keep_exact(member);
        }
        return;
    }
    const Encoded value = encode(column.kind, member, workshop_);
    bind(*insert_, parameters_[place.column], value);
    if (!value.exact && alone) {
        keep_exact(member);
    }
    if (!value.exact || column.kind == Kind::json) {
        note_drift(item, member, place.column);
    }
}

void RowWriter::keep_exact(const Member& member)
{
    exact_.append(exact_.empty() ? "{\"" : ",\"").append(member.key).append("\":").append(member.value);
}

void RowWriter::note_drift(const PageItem& item, const Member& member, std::size_t column)
{
    const ValueClass found = class_of(member);
    if (found == is_null || expects(columns_[column].kind, found)) {
        return;
    }
    Drift& drift = drifts_[{column, found}];
    if (drift.items++ == 0) {
        drift.item_key = item.key.to_json();
        drift.sample = shortened(member.value);
    }
}

}  // namespace shelfd::mirror
