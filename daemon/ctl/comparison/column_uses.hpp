// Where an SQL statement compares a column, or calculates with it. A judgement by the tokens alone: it may miss a
// place.
#pragma once

#include "ctl/comparison/sql_tokens.hpp"

#include <functional>
#include <string>
#include <vector>

namespace shelfd::ctl {

// `tokens` and `is_number` must outlive it.
class ColumnUses {
public:
    // `is_number`: whether a column holds numbers, its name in small letters. Empty: beside a number, the text stays a
    // text, since it is none that SQLite reads as a whole.
    ColumnUses(const std::vector<SqlToken>& tokens, const std::function<bool(const std::string&)>& is_number)
        : tokens_(tokens), is_number_(is_number)
    {
    }

    // Where that name, in small letters, is compared, or sorted by, or its least or greatest value is taken, as text:
    // not with a CAST, nor with a column that holds numbers.
    std::vector<std::size_t> comparisons(const std::string& name) const;
    // Where its text is taken for a number: in sum() and the like, beside + - * / %, or in a CAST to a number.
    std::vector<std::size_t> calculations(const std::string& name) const;

private:
    // A column with the name of its table, and with parentheses that only group.
    struct Operand {
        std::size_t first = 0;
        std::size_t last = 0;
    };
    Operand operand_at(std::size_t at) const;
    bool is_name_of_column(std::size_t at) const;
    std::vector<std::size_t> places(const std::string& name, bool (ColumnUses::*is_used)(std::size_t) const) const;
    bool is_compared(std::size_t at) const;
    bool is_calculated(std::size_t at) const;

    const SqlToken& at(std::size_t i) const;
    const SqlToken& before(std::size_t i) const { return at(i - 1); }  // wraps around to "outside" before the first
    const SqlToken& after(std::size_t i) const { return at(i + 1); }
    bool begins_number(std::size_t i) const;
    bool ends_number(std::size_t i) const;
    bool is_literal_number(std::size_t i) const;
    bool is_left(std::size_t first, std::size_t last) const;
    bool is_right(std::size_t first, std::size_t last) const;
    bool is_argument(std::size_t first, std::size_t last) const;
    bool is_sort_key(std::size_t first, std::size_t last) const;

    const std::vector<SqlToken>& tokens_;
    const std::function<bool(const std::string&)>& is_number_;
};

}  // namespace shelfd::ctl
