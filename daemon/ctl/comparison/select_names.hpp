// Which names the SELECTs of a statement give to columns, and which columns an ORDER BY means by such a name or by a
// position.
#pragma once

#include "ctl/comparison/sql_tokens.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace shelfd::ctl {

// All names in small letters.
struct SelectNames {
    // Names that mean something other than the column of that name in some part of the statement: given with AS, as the
    // last word of a result, or in the column list of a WITH.
    std::set<std::string> renamed;
    // Names that stand for one column throughout the statement, through subqueries and WITH: `cost_price AS p`.
    std::map<std::string, std::string> aliases;
    // Names that stand for a CAST throughout the statement.
    std::set<std::string> casts;
    // Columns that an ORDER BY sorts by, named by their position or by the name that its SELECT gives them.
    std::set<std::string> sorted;
};

// `is_column`: whether a table of the statement has a column of that name. Omits what the tokens do not show for
// certain: parts of UNION, EXCEPT and INTERSECT, positions after a *, a name that is given to two different things.
SelectNames read_select_names(const std::vector<SqlToken>& tokens,
                              const std::function<bool(const std::string&)>& is_column);

}  // namespace shelfd::ctl
