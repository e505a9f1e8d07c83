// Rows of a query, as a table, as CSV or as JSON, however many there are.
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

// One value of a row. Numbers and texts as SQLite gives them as text; the bytes of a blob.
struct Value {
    ValueKind kind = ValueKind::null;
    std::string_view text;
};

// begin, rows, end. Memory does not grow with the number of rows.
class RowPrinter {
public:
    virtual ~RowPrinter() = default;
    virtual void row(const std::vector<Value>& values) = 0;
    virtual void end() = 0;
};

// csv: comma-separated, a header, LF; NULL is empty, an empty text "". json: an array of objects, a line each; equal
// column names get a number. Blobs are X'hex'.
std::unique_ptr<RowPrinter> make_row_printer(Output output, std::vector<std::string> columns, Terminal& terminal);

}  // namespace shelfd::ctl
