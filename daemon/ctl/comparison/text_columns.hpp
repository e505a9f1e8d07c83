// Columns of a mirror that hold numbers or dates as text, found in a sample of their values.
#pragma once

#include "base/result.hpp"
#include "base/words/text_contents.hpp"
#include "storage/sqlite.hpp"

#include <map>
#include <string>
#include <vector>

namespace shelfd::ctl {

// By name of the column; only those that do not compare as what they hold. Reads the first and the last 1,000 rows of
// the table at most. `columns`: those of the kind text.
Result<std::map<std::string, TextContents>> find_text_columns(storage::Database& database, const std::string& table,
                                                              const std::vector<std::string>& columns);

}  // namespace shelfd::ctl
