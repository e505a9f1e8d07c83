// Statements that are prepared, bound and run in one call, and the rows of a query one by one.
#pragma once

#include "base/result.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace shelfd::storage {

// Text, whole numbers, true and false, real numbers; an empty optional is NULL. The value outlives what is run with it.
template <typename Value>
void bind_value(Statement& statement, int parameter, const Value& value)
{
    if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
        statement.bind(parameter, std::string_view(value));
    } else if constexpr (std::is_floating_point_v<Value>) {
        statement.bind(parameter, static_cast<double>(value));
    } else if constexpr (std::is_integral_v<Value>) {
        statement.bind(parameter, static_cast<std::int64_t>(value));
    } else if (value) {
        bind_value(statement, parameter, *value);
    } else {
        statement.bind_null(parameter);
    }
}

// Binds the parameters from 1 on.
template <typename... Values>
Statement& bind_all(Statement& statement, const Values&... values)
{
    int parameter = 1;
    (bind_value(statement, parameter++, values), ...);
    return statement;
}

// To the end, once; for a statement that is prepared already, as often as wanted.
template <typename... Values>
Result<void> run(Statement& statement, const Values&... values)
{
    return bind_all(statement, values...).run();
}
template <typename... Values>
Result<void> run(Database& database, std::string_view sql, const Values&... values)
{
    SHELFD_TRY_ASSIGN(statement, database.prepare(sql));
    return run(statement, values...);
}

// Calls `take(statement)` for each row that is left. `take` returns nothing, or bool, or Result<void>, or Result<bool>:
// false ends it, and so does an error, which is returned.
template <typename Take>
Result<void> each_row(Statement& rows, Take&& take)
{
    using Taken = std::invoke_result_t<Take&, const Statement&>;
    for (;;) {
        SHELFD_TRY_ASSIGN(row, rows.step());
        if (!row) {
            return {};
        }
        if constexpr (std::is_void_v<Taken>) {
            take(rows);
        } else if constexpr (std::is_same_v<Taken, bool>) {
            if (!take(rows)) {
                return {};
            }
        } else if constexpr (std::is_same_v<Taken, Result<bool>>) {
            SHELFD_TRY_ASSIGN(goes_on, take(rows));
            if (!goes_on) {
                return {};
            }
        } else {
            SHELFD_TRY(take(rows));
        }
    }
}
// The same for the rows of `sql`, with its parameters from 1 on.
template <typename Take, typename... Values>
Result<void> each_row(Database& database, std::string_view sql, Take&& take, const Values&... values)
{
    SHELFD_TRY_ASSIGN(rows, database.prepare(sql));
    bind_all(rows, values...);
    return each_row(rows, take);
}

// The first column of each row, as text.
template <typename... Values>
Result<std::vector<std::string>> read_texts(Database& database, std::string_view sql, const Values&... values)
{
    std::vector<std::string> texts;
    SHELFD_TRY(each_row(
        database, sql, [&](const Statement& row) { texts.emplace_back(row.text(0)); }, values...));
    return texts;
}

// The first column of the first row, as a whole number; 0 where there is none.
template <typename... Values>
Result<std::int64_t> read_number(Database& database, std::string_view sql, const Values&... values)
{
    SHELFD_TRY_ASSIGN(rows, database.prepare(sql));
    bind_all(rows, values...);
    SHELFD_TRY_ASSIGN(row, rows.step());
    return row ? rows.integer(0) : 0;
}

}  // namespace shelfd::storage
