// Cuts a large JSON array into pieces, so that the memory of whoever reads it follows a piece and not the answer.
#pragma once

#include "base/result.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace shelfd::mirror {

// Arrays up to this size (bytes) are read at once, larger ones in pieces of a quarter of it. Readers of JSON take about
// five times the text that they read (measured).
inline constexpr std::size_t max_whole = std::size_t{4} << 20;
inline constexpr std::size_t max_piece = std::size_t{1} << 20;  // but for its last row
inline constexpr std::size_t max_piece_rows = 8192;
// A row of more bytes is refused: it cannot be cut.
inline constexpr std::size_t max_row = std::size_t{8} << 20;

// Looks at strings, brackets and commas only: what else is wrong is found by whoever reads the pieces.
class ArrayPieces {
public:
    // The text outlives this. A piece ends with the row that makes it `bytes` long, or with row `rows` of it.
    explicit ArrayPieces(std::string_view array, std::size_t bytes = max_piece, std::size_t rows = max_piece_rows);

    // The next rows with the commas between them, without brackets; empty for an empty array. Nothing at the end.
    // Errors: protocol, for brackets that do not match, a comma before the end, or text after it.
    Result<std::optional<std::string_view>> next();
    // Rows of all pieces so far.
    std::size_t rows() const { return rows_; }

private:
    std::string_view text_;
    std::size_t piece_bytes_;
    std::size_t piece_rows_;
    std::size_t at_ = 0;
    std::size_t rows_ = 0;
    bool is_over_ = false;
};

// Behind the string, the array or the object that begins at `at`; npos where it does not end, or nothing of the kind
// begins there.
std::size_t past_value(std::string_view text, std::size_t at);

}  // namespace shelfd::mirror
