#include "storage/row_batch.hpp"

#include <utility>

namespace shelfd::storage {

void RowBatch::begin_row(std::size_t columns)
{
    order_.clear();
    rows_.push_back({cells_.size(), columns});
    cells_.resize(cells_.size() + columns);
}

void RowBatch::set(std::size_t column, std::int64_t value)
{
    cell(column) = {StorageClass::integer, 0, static_cast<std::uint64_t>(value)};
}

void RowBatch::set(std::size_t column, double value)
{
    cell(column) = {StorageClass::real, 0, std::bit_cast<std::uint64_t>(value)};
}

void RowBatch::set(std::size_t column, std::string_view text)
{
    set_bytes(column, StorageClass::text, text.data(), text.size());
}

void RowBatch::set_blob(std::size_t column, std::span<const std::byte> bytes)
{
    set_bytes(column, StorageClass::blob, reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// An answer, and therefore a value, is far below 4 GiB.
void RowBatch::set_bytes(std::size_t column, StorageClass what, const char* bytes, std::size_t size)
{
    cell(column) = {what, static_cast<std::uint32_t>(size), bytes_.size()};
    bytes_.append(bytes, size);
}

void RowBatch::put_in_order(std::vector<std::uint32_t> places)
{
    order_ = std::move(places);
}

void RowBatch::clear()
{
    rows_.clear();
    cells_.clear();
    bytes_.clear();
    order_.clear();
}

// A string that an empty one is assigned to keeps its memory: it goes with a batch of its own.
void RowBatch::release()
{
    const RowBatch taken = std::exchange(*this, RowBatch());
}

}  // namespace shelfd::storage
