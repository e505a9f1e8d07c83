// Which columns an SQL statement compares letter by letter although they hold numbers or dates, or calculates with
// although SQLite reads only the begin of their numbers.
#pragma once

#include "base/words/text_contents.hpp"
#include "ctl/comparison/sql_tokens.hpp"
#include "storage/sqlite.hpp"

#include <functional>
#include <string>
#include <vector>

namespace shelfd::ctl {

// Positions of `column` (in small letters) where the statement compares it, sorts by it, or takes its least or greatest
// value. Omits a comparison that SQLite makes between numbers: with a CAST, or with a column for which `is_number`
// holds. Empty if the statement gives the name to another value with AS. A judgement by the tokens alone: it may miss a
// comparison.
std::vector<std::size_t> find_comparisons(const std::vector<SqlToken>& tokens, const std::string& column,
                                          const std::function<bool(const std::string&)>& is_number);

struct ComparedColumn {
    std::string table;
    std::string column;
    TextContents contents = TextContents::other;
    bool is_compared = true;
    bool is_calculated = false;  // and its numbers are misread
};

// The columns that a statement over a mirror compares or calculates with. Empty if the mirror cannot say.
std::vector<ComparedColumn> find_compared_columns(storage::Database& database, const std::string& sql);

// The note for a person; "" if there are none.
std::string comparison_note(const std::vector<ComparedColumn>& columns);

}  // namespace shelfd::ctl
