#include "ctl/screen/sql_output.hpp"

#include "base/words/safe_text.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace shelfd::ctl {
namespace {

namespace json = boost::json;

std::string hex(std::string_view bytes)
{
    std::string text = "X'";
    for (const char byte : bytes) {
        text += fmt::format("{:02X}", static_cast<unsigned char>(byte));
    }
    return text + "'";
}

// The first rows determine widths and alignment; the others are printed as they come.
class TablePrinter final : public RowPrinter {
public:
    TablePrinter(std::vector<std::string> columns, Terminal& terminal)
        : columns_(std::move(columns)), numeric_(columns_.size(), true), terminal_(terminal)
    {
    }

    void row(const std::vector<Value>& values) override
    {
        std::vector<Cell> cells;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto& value = values[i];
            numeric_[i] = numeric_[i] && (value.kind == ValueKind::number || value.kind == ValueKind::null);
            switch (value.kind) {
            case ValueKind::null: cells.push_back({"NULL", Colour::dim}); break;
            case ValueKind::blob: cells.push_back({hex(value.text)}); break;
            case ValueKind::number:
            case ValueKind::text: cells.push_back({std::string(value.text)}); break;
            }
        }
        waiting_.push_back(std::move(cells));
        if (waiting_.size() >= settling_rows) {
            flush();
        }
    }

    void end() override { flush(); }

private:
    static constexpr std::size_t settling_rows = 1'000;

    void flush()
    {
        if (!table_) {
            std::vector<Table::Column> columns;
            for (std::size_t i = 0; i < columns_.size(); ++i) {
                const bool right = numeric_[i] && !waiting_.empty();
                columns.push_back({columns_[i], right ? Align::right : Align::left});
            }
            table_.emplace(std::move(columns));
        }
        for (auto& cells : waiting_) {
            table_->add(std::move(cells));
        }
        waiting_.clear();
        terminal_.print(table_->take(terminal_));
    }

    std::vector<std::string> columns_;
    std::vector<bool> numeric_;
    std::vector<std::vector<Cell>> waiting_;
    std::optional<Table> table_;
    Terminal& terminal_;
};

// Collects text into large pieces: a write for each of a million rows would cost more than the rows.
class Batch {
public:
    using Print = void (Terminal::*)(std::string_view);
    Batch(Terminal& terminal, Print print) : terminal_(terminal), print_(print) {}

    void add(std::string_view text)
    {
        constexpr std::size_t enough = 64u << 10;
        text_ += text;
        if (text_.size() >= enough) {
            flush();
        }
    }
    void flush()
    {
        (terminal_.*print_)(text_);
        text_.clear();
    }

private:
    Terminal& terminal_;
    Print print_;
    std::string text_;
};

class CsvPrinter final : public RowPrinter {
public:
    CsvPrinter(const std::vector<std::string>& columns, Terminal& terminal) : batch_(terminal, &Terminal::print_exact)
    {
        std::vector<Value> header;
        for (const auto& column : columns) {
            header.push_back({ValueKind::text, column});
        }
        row(header);
    }

    void row(const std::vector<Value>& values) override
    {
        std::string line;
        for (std::size_t i = 0; i < values.size(); ++i) {
            line += i > 0 ? "," : "";
            line += field(values[i]);
        }
        batch_.add(line + "\n");
    }

    void end() override { batch_.flush(); }

private:
    static std::string field(const Value& value)
    {
        if (value.kind == ValueKind::null) {
            return "";
        }
        if (value.kind == ValueKind::blob) {
            return hex(value.text);
        }
        const bool plain = !value.text.empty() && value.text.find_first_of("\",\r\n") == std::string_view::npos;
        if (plain || value.kind == ValueKind::number) {
            return std::string(value.text);
        }
        std::string quoted = "\"";
        for (const char c : value.text) {
            quoted += c;
            quoted += c == '"' ? "\"" : "";
        }
        return quoted + "\"";
    }

    Batch batch_;
};

class JsonPrinter final : public RowPrinter {
public:
    JsonPrinter(const std::vector<std::string>& columns, Terminal& terminal) : batch_(terminal, &Terminal::print_json)
    {
        std::set<std::string> taken;
        for (const auto& column : columns) {
            auto name = column;
            for (int number = 1; !taken.insert(name).second; ++number) {
                name = fmt::format("{}:{}", column, number);
            }
            names_.push_back(json::serialize(json::string_view(name)));
        }
    }

    void row(const std::vector<Value>& values) override
    {
        std::string line = begun_ ? ",\n {" : "[{";
        begun_ = true;
        for (std::size_t i = 0; i < values.size(); ++i) {
            line += fmt::format("{}{}:{}", i > 0 ? "," : "", names_[i], value_text(values[i]));
        }
        batch_.add(line + "}");
    }

    void end() override
    {
        batch_.add(begun_ ? "]\n" : "[]\n");
        batch_.flush();
    }

private:
    static std::string value_text(const Value& value)
    {
        switch (value.kind) {
        case ValueKind::null: return "null";
        case ValueKind::number: return number_text(value.text);
        case ValueKind::text: return json::serialize(json::string_view(value.text.data(), value.text.size()));
        case ValueKind::blob: return json::serialize(json::string_view(hex(value.text)));
        }
        std::abort();
    }

    // JSON has no infinity.
    static std::string number_text(std::string_view text)
    {
        return text.find_first_of("Ii") == std::string_view::npos ? std::string(text) : "null";
    }

    std::vector<std::string> names_;
    bool begun_ = false;
    Batch batch_;
};

// "   column = value", as the mode `line` of sqlite3(1); an empty line between two rows. Lines of a value after its
// first are indented to its column.
class VerticalPrinter final : public RowPrinter {
public:
    VerticalPrinter(std::vector<std::string> columns, Terminal& terminal)
        : columns_(std::move(columns)), batch_(terminal, &Terminal::print)
    {
        for (auto& column : columns_) {
            column = escape_line(column);
            width_ = std::max(width_, display_width(column));
        }
    }

    void row(const std::vector<Value>& values) override
    {
        std::string lines = begun_ ? "\n" : "";
        begun_ = true;
        for (std::size_t i = 0; i < values.size(); ++i) {
            lines += std::string(width_ - display_width(columns_[i]), ' ') + columns_[i] + " = ";
            lines += shown(values[i]) + "\n";
        }
        batch_.add(lines);
    }

    void end() override { batch_.flush(); }

private:
    std::string shown(const Value& value) const
    {
        switch (value.kind) {
        case ValueKind::null: return "NULL";
        case ValueKind::blob: return hex(value.text);
        case ValueKind::number: return std::string(value.text);
        case ValueKind::text: break;
        }
        std::string text;
        for (const char c : value.text) {
            text += c == '\n' ? "\n" + std::string(width_ + 3, ' ') : std::string(1, c);
        }
        return text;
    }

    std::vector<std::string> columns_;
    std::size_t width_ = 0;
    bool begun_ = false;
    Batch batch_;
};

}  // namespace

std::unique_ptr<RowPrinter> make_row_printer(Output output, std::vector<std::string> columns, Terminal& terminal)
{
    switch (output) {
    case Output::text: return std::make_unique<TablePrinter>(std::move(columns), terminal);
    case Output::csv: return std::make_unique<CsvPrinter>(columns, terminal);
    case Output::json: return std::make_unique<JsonPrinter>(columns, terminal);
    case Output::vertical: return std::make_unique<VerticalPrinter>(std::move(columns), terminal);
    }
    std::abort();
}

}  // namespace shelfd::ctl
