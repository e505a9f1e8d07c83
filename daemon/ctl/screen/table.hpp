// A table of text whose columns are as wide as their contents.
#pragma once

#include "ctl/screen/terminal.hpp"

#include <string>
#include <vector>

namespace shelfd::ctl {

enum class Align { left, right };

struct Cell {
    std::string text;
    Colour colour = Colour::none;
};

// The header and the rows added before the first `take` determine the widths; wider cells in later rows move the rest
// of their row, and no cell is cut. So a result of any length needs constant memory. On a terminal a last column that
// is too wide continues below itself, broken between words.
class Table {
public:
    struct Column {
        std::string header;
        Align align = Align::left;
    };

    explicit Table(std::vector<Column> columns);

    // One cell for each column. Control characters are shown as escapes, so that a value stays on its line.
    void add(std::vector<Cell> row);
    std::size_t rows_waiting() const { return rows_.size(); }
    // The lines of all rows since the last call, header first; two blanks between columns, none at the end of a line.
    StyledText take(const Terminal& terminal);

private:
    std::vector<std::string> last_cell(const Cell& cell, const Terminal& terminal) const;
    StyledText line(std::vector<Cell> row, const Terminal& terminal) const;

    std::vector<Column> columns_;
    std::vector<std::size_t> widths_;
    std::vector<std::vector<Cell>> rows_;
    bool header_taken_ = false;
};

}  // namespace shelfd::ctl
