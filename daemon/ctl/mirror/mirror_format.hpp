// Names and times as readers of a mirror write and see them.
#pragma once

#include "base/result.hpp"
#include "storage/sql_names.hpp"
#include "storage/sqlite.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace shelfd::ctl {

using storage::identifier;

// The error for a table that is not in `known`.
Error no_table(const std::string& table, const std::vector<std::string>& known);
// An error about an unknown table, with the command that lists all of them. Others unchanged.
Error with_list(const Error& error, const std::string& library);
// An instant of the mirror without its fraction; any other text unchanged.
std::string short_time(std::string_view text);
// SQL for a column that mirrors of older daemons lack: its name, or NULL.
Result<std::string> column_or_null(storage::Database& mirror, const std::string& table, const std::string& column);

}  // namespace shelfd::ctl
