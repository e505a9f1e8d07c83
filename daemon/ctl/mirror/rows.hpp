// Rows of a query that fit in memory, taken one by one.
#pragma once

#include "base/result.hpp"
#include "storage/sqlite.hpp"

#include <initializer_list>
#include <string_view>

namespace shelfd::ctl {

// Calls `take(const storage::Statement&)` for each row.
template <typename Take>
Result<void> each_row(storage::Database& database, std::string_view sql,
                      std::initializer_list<std::string_view> parameters, Take&& take)
{
    SHELFD_TRY_ASSIGN(rows, database.prepare(sql));
    int parameter = 1;
    for (const auto text : parameters) {
        rows.bind(parameter++, text);
    }
    for (;;) {
        SHELFD_TRY_ASSIGN(row, rows.step());
        if (!row) {
            return {};
        }
        take(rows);
    }
}

}  // namespace shelfd::ctl
