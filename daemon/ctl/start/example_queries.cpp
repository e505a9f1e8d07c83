#include "ctl/start/example_queries.hpp"

#include "base/text.hpp"
#include "ctl/comparison/sql_tokens.hpp"
#include "storage/query.hpp"
#include "storage/sql_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace shelfd::ctl {
namespace {

constexpr int sample_rows = 1000;

// What a sample shows of a column.
struct Column {
    const ColumnView* view = nullptr;
    std::int64_t values = 0;    // not NULL
    std::int64_t distinct = 0;  // of these
    std::int64_t longest = 0;   // characters

    std::string sql() const { return sql_word(view->name); }
};

Result<std::vector<Column>> survey(storage::Database& database, const TableView& table)
{
    std::vector<Column> columns;
    std::string terms;
    for (const auto& view : table.columns) {
        if (view.kind.empty() || view.kind == "json" || view.kind == "undecided") {
            continue;
        }
        columns.push_back({&view});
        const auto name = storage::identifier(view.name);
        terms += fmt::format("{0}count({1}), count(DISTINCT {1}), coalesce(max(length({1})), 0)",
                             terms.empty() ? "" : ", ", name);
        // An aggregate query has 2,000 terms at most.
        if (columns.size() == 400) {
            break;
        }
    }
    if (columns.empty()) {
        return columns;
    }
    const auto sql =
        fmt::format("SELECT {} FROM (SELECT * FROM {} LIMIT {})", terms, storage::identifier(table.name), sample_rows);
    SHELFD_TRY(storage::each_row(database, sql, [&columns](const storage::Statement& row) {
        int at = 0;
        for (auto& column : columns) {
            column.values = row.integer(at++);
            column.distinct = row.integer(at++);
            column.longest = row.integer(at++);
        }
    }));
    return columns;
}

std::vector<Column> key_of(const std::vector<Column>& columns)
{
    std::vector<Column> key;
    std::copy_if(columns.begin(), columns.end(), std::back_inserter(key),
                 [](const Column& one) { return one.view->in_key > 0; });
    std::sort(key.begin(), key.end(), [](const auto& a, const auto& b) { return a.view->in_key < b.view->in_key; });
    return key;
}

// Columns that fit a screen, the key first.
std::string some_rows(const TableView& table, const std::vector<Column>& columns)
{
    constexpr std::size_t max_shown = 5;
    constexpr std::int64_t max_length = 40;
    auto shown = key_of(columns);
    const auto order = shown.empty() ? std::string("rowid") : shown.front().sql();
    for (const auto& column : columns) {
        if (shown.size() < max_shown && column.view->in_key == 0 && column.values > 0 && column.longest <= max_length) {
            shown.push_back(column);
        }
    }
    std::string list;
    for (const auto& column : shown) {
        list += (list.empty() ? "" : ", ") + column.sql();
    }
    return fmt::format("SELECT {} FROM {} ORDER BY {} DESC LIMIT 5", list.empty() ? "*" : list, sql_word(table.name),
                       order);
}

// A column that sorts rows into groups.
std::string groups(const TableView& table, const std::vector<Column>& columns)
{
    const Column* best = nullptr;
    for (const auto& column : columns) {
        const bool is_word = column.view->kind == "text" || column.view->kind == "boolean" ||
                             (column.view->kind == "integer" && column.view->in_key == 0);
        const bool repeats = column.distinct > 1 && column.distinct * 2 <= column.values;
        const bool is_better =
            best == nullptr || (best->view->kind != "text" && column.view->kind == "text") ||
            (best->view->kind == column.view->kind && column.distinct < best->distinct && best->distinct > 20);
        if (is_word && repeats && column.longest <= 40 && column.view->contents == TextContents::other && is_better) {
            best = &column;
        }
    }
    if (best == nullptr) {
        return "";
    }
    return fmt::format("SELECT {0}, count(*) AS how_many FROM {1} GROUP BY {0} ORDER BY how_many DESC, {0} LIMIT 5",
                       best->sql(), sql_word(table.name));
}

bool is_reference(const std::string& name)
{
    const auto small = lower(name);
    return small == "id" || small.ends_with("_id") || small.ends_with("_by") || small == "pk";
}

// The amounts in a column.
std::string amounts(const TableView& table, const std::vector<Column>& columns)
{
    const auto weight = [](const Column& one) {
        const bool is_amount = one.view->in_key == 0 && one.distinct > 1 && !is_reference(one.view->name);
        return !is_amount                                     ? 0
               : one.view->contents == TextContents::decimals ? 3
               : one.view->kind == "real"                     ? 2
               : one.view->kind == "integer"                  ? 1
                                                              : 0;
    };
    const auto best = std::max_element(columns.begin(), columns.end(),
                                       [&](const auto& a, const auto& b) { return weight(a) < weight(b); });
    if (best == columns.end() || weight(*best) == 0) {
        return "";
    }
    const auto number = best->view->kind == "text" ? comparable(best->view->contents, best->sql()) : best->sql();
    return fmt::format("SELECT count({0}) AS how_many, min({1}) AS least, round(avg({1}), 2) AS average, max({1}) AS "
                       "greatest FROM {2}",
                       best->sql(), number, sql_word(table.name));
}

std::string months(const TableView& table, const std::vector<Column>& columns)
{
    for (const auto& column : columns) {
        if ((column.view->kind == "datetime" || column.view->kind == "date") && column.distinct > 1) {
            return fmt::format("SELECT substr({0}, 1, 7) AS month, count(*) AS how_many FROM {1} GROUP BY month "
                               "ORDER BY month DESC LIMIT 5",
                               column.sql(), sql_word(table.name));
        }
    }
    return "";
}

}  // namespace

Result<std::vector<std::string>> example_queries(storage::Database& database, const TableView& table)
{
    SHELFD_TRY_ASSIGN(columns, survey(database, table));
    const std::array<std::string, 6> wanted = {
        some_rows(table, columns),
        groups(table, columns),
        amounts(table, columns),
        months(table, columns),
        fmt::format("SELECT state, as_of, proven_as_of, rows FROM freshness WHERE resource = '{}'", table.name),
        fmt::format("SELECT mode, result, requests, finished_at FROM _runs WHERE resource = '{}' ORDER BY finished_at "
                    "DESC LIMIT 5",
                    table.name)};
    std::vector<std::string> queries;
    for (const auto& sql : wanted) {
        if (!sql.empty() && queries.size() < 3 && database.prepare(sql)) {
            queries.push_back(sql);
        }
    }
    return queries;
}

}  // namespace shelfd::ctl
