#include "ctl/comparison/text_columns.hpp"

#include "storage/query.hpp"
#include "storage/sql_names.hpp"

#include <fmt/format.h>

namespace shelfd::ctl {
namespace {

constexpr int rows_at_each_end = 1000;

Result<void> survey(storage::Database& database, const std::string& sql, std::vector<TextSurvey>& surveys)
{
    return storage::each_row(database, sql, [&surveys](const storage::Statement& row) {
        for (std::size_t i = 0; i < surveys.size(); ++i) {
            const auto column = static_cast<int>(i);
            if (!row.is_null(column)) {
                surveys[i].add(row.text(column));
            }
        }
    });
}

}  // namespace

Result<std::map<std::string, TextContents>> find_text_columns(storage::Database& database, const std::string& table,
                                                              const std::vector<std::string>& columns)
{
    std::map<std::string, TextContents> found;
    if (columns.empty()) {
        return found;
    }
    std::string list;
    for (const auto& column : columns) {
        list += (list.empty() ? "" : ", ") + storage::identifier(column);
    }
    std::vector<TextSurvey> surveys(columns.size());
    const auto from = fmt::format("SELECT {} FROM {}", list, storage::identifier(table));
    SHELFD_TRY(survey(database, fmt::format("{} ORDER BY rowid LIMIT {}", from, rows_at_each_end), surveys));
    SHELFD_TRY(survey(database, fmt::format("{} ORDER BY rowid DESC LIMIT {}", from, rows_at_each_end), surveys));
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (const auto contents = surveys[i].contents(); contents != TextContents::other) {
            found.emplace(columns[i], contents);
        }
    }
    return found;
}

}  // namespace shelfd::ctl
