#include "ctl/screen/table.hpp"

#include "base/words/safe_text.hpp"
#include "ctl/screen/wrap.hpp"

#include <algorithm>
#include <sstream>

namespace shelfd::ctl {

Table::Table(std::vector<Column> columns) : columns_(std::move(columns))
{
    for (auto& column : columns_) {
        column.header = escape_line(column.header);
        widths_.push_back(display_width(column.header));
    }
}

void Table::add(std::vector<Cell> row)
{
    for (std::size_t i = 0; i < row.size(); ++i) {
        row[i].text = escape_line(row[i].text);
        if (!header_taken_) {
            widths_[i] = std::max(widths_[i], display_width(row[i].text));
        }
    }
    rows_.push_back(std::move(row));
}

// If the last column would leave the screen, its text continues below itself.
std::vector<std::string> Table::last_cell(const Cell& cell, const Terminal& terminal) const
{
    constexpr std::size_t narrowest = 20;
    std::size_t before = 0;
    for (std::size_t i = 0; i + 1 < widths_.size(); ++i) {
        before += widths_[i] + 2;
    }
    const auto screen = terminal.width().value_or(0);
    if (columns_.back().align == Align::right || screen < before + narrowest) {
        return {cell.text};
    }
    std::vector<std::string> lines;
    std::istringstream wrapped(wrap(cell.text, screen - before));
    for (std::string one; std::getline(wrapped, one);) {
        lines.push_back(lines.empty() ? one : std::string(before, ' ') + one);
    }
    return lines.empty() ? std::vector<std::string>{""} : lines;
}

StyledText Table::line(std::vector<Cell> row, const Terminal& terminal) const
{
    StyledText text;
    const auto last = last_cell(row.back(), terminal);
    row.back().text = last.front();
    std::size_t owed = 0;  // blanks before the next cell with text
    for (std::size_t i = 0; i < row.size(); ++i) {
        const auto width = display_width(row[i].text);
        const auto padding = widths_[i] > width ? widths_[i] - width : 0;
        const bool right = columns_[i].align == Align::right;
        owed += right ? padding : 0;
        if (!row[i].text.empty()) {
            text += std::string(owed, ' ');
            text += terminal.paint(row[i].colour, row[i].text);
            owed = 0;
        }
        owed += (right ? 0 : padding) + 2;
    }
    text += "\n";
    for (std::size_t i = 1; i < last.size(); ++i) {
        text += terminal.paint(row.back().colour, last[i]);
        text += "\n";
    }
    return text;
}

StyledText Table::take(const Terminal& terminal)
{
    StyledText text;
    if (!header_taken_) {
        header_taken_ = true;
        std::vector<Cell> header;
        for (const auto& column : columns_) {
            header.push_back({column.header, Colour::bold});
        }
        text += line(header, terminal);
    }
    for (const auto& row : rows_) {
        text += line(row, terminal);
    }
    rows_.clear();
    return text;
}

}  // namespace shelfd::ctl
