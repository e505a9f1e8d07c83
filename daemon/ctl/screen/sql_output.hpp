// Prints the rows of a query as a table, CSV or JSON, however many there are.
#pragma once

#include "ctl/line/command.hpp"
#include "ctl/screen/table.hpp"
#include "ctl/screen/terminal.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::ctl {

enum class ValueKind { null, number, text, blob };

// One value of a row: numbers and texts as SQLite returns them as text, blobs as bytes.
struct Value {
    ValueKind kind = ValueKind::null;
    std::string_view text;
};

// Call `row` for each row, then `end`. Memory does not grow with the number of rows.
class RowPrinter {
public:
    virtual ~RowPrinter() = default;
    virtual void row(const std::vector<Value>& values) = 0;
    virtual void end() = 0;
};

// csv: comma-separated, a header, LF; NULL is empty, an empty text "". json: an array of objects, one in each line;
// equal column names get a number. vertical: a line for each value. Blobs are X'hex'.
std::unique_ptr<RowPrinter> make_row_printer(Output output, std::vector<std::string> columns, Terminal& terminal);

}  // namespace shelfd::ctl
