// Rows in memory that a statement reads like a table, so that one statement inserts many rows.
#pragma once

#include "storage/sqlite.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::storage {

// Read by `INSERT … SELECT c0, c1, … FROM ROWS(?)`: ROWS is the name returned by `Database::row_source`, and the
// parameter is bound to the batch. Running a statement for each row opens and closes its table each time: 12 to 17 % of
// the CPU of inserts into a table of 22 columns (measured). Not thread-safe.
class RowBatch {
public:
    // Adds a row with this many columns, all null.
    void begin_row(std::size_t columns);
    // Set a column of the last row; texts and blobs are copied.
    void set(std::size_t column, std::int64_t value);
    void set(std::size_t column, double value);
    void set(std::size_t column, std::string_view text);
    void set_blob(std::size_t column, std::span<const std::byte> bytes);

    // Statements see the rows in this order; `places` holds each row number once. Adding a row restores the order of
    // arrival.
    void put_in_order(std::vector<std::uint32_t> places);

    std::size_t size() const { return rows_.size(); }
    // More rows in one statement gain little and cost memory.
    bool is_full() const
    {
        return rows_.size() >= max_rows || bytes_.size() + cells_.size() * sizeof(Cell) >= max_bytes;
    }
    // Removes all rows; keeps the memory for the next ones.
    void clear();
    // Their memory, too.
    void release();
    std::size_t capacity() const { return bytes_.capacity() + cells_.capacity() * sizeof(Cell); }

    struct Value {
        StorageClass what = StorageClass::null;
        std::int64_t integer = 0;
        double real = 0;
        std::string_view bytes;  // of text and blob; valid until the next `set`
    };
    // `row` counts in the order of statements. Columns beyond the end of a row are null.
    Value value(std::size_t row, std::size_t column) const
    {
        const Row& found = rows_[order_.empty() ? row : order_[row]];
        if (column >= found.size) {
            return {};
        }
        const Cell& cell = cells_[found.first + column];
        switch (cell.what) {
        case StorageClass::null: return {};
        case StorageClass::integer: return {cell.what, static_cast<std::int64_t>(cell.bits), 0, {}};
        case StorageClass::real: return {cell.what, 0, std::bit_cast<double>(cell.bits), {}};
        case StorageClass::text:
        case StorageClass::blob: break;
        }
        return {cell.what, 0, 0, std::string_view(bytes_).substr(cell.bits, cell.size)};
    }

private:
    static constexpr std::size_t max_rows = 1'000;
    static constexpr std::size_t max_bytes = std::size_t{2} << 20;

    struct Row {
        std::size_t first;  // number of its first cell
        std::size_t size;
    };
    struct Cell {
        StorageClass what = StorageClass::null;
        std::uint32_t size = 0;
        std::uint64_t bits = 0;  // the number, or the offset of the bytes
    };
    Cell& cell(std::size_t column) { return cells_[rows_.back().first + column]; }
    void set_bytes(std::size_t column, StorageClass what, const char* bytes, std::size_t size);

    std::vector<Row> rows_;
    std::vector<Cell> cells_;
    std::string bytes_;
    std::vector<std::uint32_t> order_;
};

}  // namespace shelfd::storage
