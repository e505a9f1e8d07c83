#include "mirror/columns/stored_value.hpp"

#include "mirror/json/instants.hpp"

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace shelfd::mirror {
namespace {

using storage::StorageClass;

std::optional<double> number_of(std::string_view text)
{
    double value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    return fault == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<double> number_of(const storage::Statement& row, int column)
{
    switch (row.storage_class(column)) {
    case StorageClass::integer:
    case StorageClass::real: return row.real(column);
    case StorageClass::text: return number_of(row.text(column));
    case StorageClass::null:
    case StorageClass::blob: break;
    }
    return std::nullopt;
}

std::optional<double> number_of(const storage::RowBatch::Value& value)
{
    switch (value.what) {
    case StorageClass::integer: return static_cast<double>(value.integer);
    case StorageClass::real: return value.real;
    case StorageClass::text: return number_of(value.bytes);
    case StorageClass::null:
    case StorageClass::blob: break;
    }
    return std::nullopt;
}

bool are_same_instant(std::string_view one, std::string_view other)
{
    InstantText first;
    InstantText second;
    return normalise_instant(one, first) != InstantFit::none && normalise_instant(other, second) != InstantFit::none &&
           first == second;
}

}  // namespace

bool means_same(const storage::Statement& row, int column, const storage::RowBatch::Value& fresh)
{
    const auto stored = row.storage_class(column);
    if (stored == StorageClass::null || fresh.what == StorageClass::null || stored == StorageClass::blob) {
        return stored == fresh.what && stored != StorageClass::blob;
    }
    if (stored == StorageClass::integer && fresh.what == StorageClass::integer) {
        return row.integer(column) == fresh.integer;
    }
    if (stored == StorageClass::text && fresh.what == StorageClass::text) {
        return row.text(column) == fresh.bytes || are_same_instant(row.text(column), fresh.bytes);
    }
    const auto one = number_of(row, column);
    const auto other = number_of(fresh);
    return one && one == other;
}

}  // namespace shelfd::mirror
