// Splits a large JSON array into pieces, so that the memory of its reader depends on a piece, not on the answer.
#pragma once

#include "base/result.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace shelfd::mirror {

// Arrays up to this size (bytes) are read at once, larger ones in pieces of a quarter of it. A reader of JSON takes
// about five times the size of its text (measured).
inline constexpr std::size_t max_whole = std::size_t{4} << 20;
inline constexpr std::size_t max_piece = std::size_t{1} << 20;  // may be exceeded by its last row
inline constexpr std::size_t max_piece_rows = 8192;
// Larger rows (bytes) are rejected, because a row cannot be split.
inline constexpr std::size_t max_row = std::size_t{8} << 20;

// Only looks at strings, brackets and commas; the reader of the pieces finds all other errors.
class ArrayPieces {
public:
    // The text must outlive this. A piece ends with the row that makes it `bytes` long, or after `rows` rows.
    explicit ArrayPieces(std::string_view array, std::size_t bytes = max_piece, std::size_t rows = max_piece_rows);

    // Returns the next rows with the commas between them, without brackets; empty text for an empty array; an empty
    // optional at the end. Errors: protocol, for brackets that do not match, a comma before the end, or text after it.
    Result<std::optional<std::string_view>> next();
    // Number of rows in all pieces so far.
    std::size_t rows() const { return rows_; }

private:
    std::string_view text_;
    std::size_t piece_bytes_;
    std::size_t piece_rows_;
    std::size_t at_ = 0;
    std::size_t rows_ = 0;
    bool is_over_ = false;
};

// Position after the string, array or object that begins at `at`; npos if it does not end, or none begins there.
std::size_t past_value(std::string_view text, std::size_t at);

}  // namespace shelfd::mirror
