#include "mirror/details/full_view.hpp"

#include "mirror/file/schema.hpp"
#include "mirror/values/names.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

namespace shelfd::mirror {

namespace {

// SQLite's limit is 2000.
constexpr std::size_t max_view_columns = 1990;

struct Shown {
    std::string name;
    bool in_key = false;
};

Result<std::vector<Shown>> columns_of(storage::Database& database, const std::string& table)
{
    constexpr const char* sql =
        "SELECT name, pk FROM pragma_table_info(?) WHERE name NOT IN ('_shape', '_exact') ORDER BY cid";
    std::vector<Shown> columns;
    const auto add = [&](const storage::Statement& row) {
        columns.push_back({std::string(row.text(0)), row.integer(1) > 0});
    };
    SHELFD_TRY(storage::each_row(database, sql, add, table));
    return columns;
}

std::string small_letters(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
}

class Names {
public:
    std::string take(const std::string& wanted)
    {
        auto name = wanted;
        for (int n = 1; !taken_.insert(small_letters(name)).second; ++n) {
            name = n == 1 ? wanted + "_detail" : fmt::format("{}_detail_{}", wanted, n);
        }
        return name;
    }

private:
    std::set<std::string> taken_;
};

std::string definition(const std::string& resource, const std::vector<Shown>& list, const std::vector<Shown>& detail)
{
    Names names;
    std::string shown;
    std::string same;
    std::size_t count = 0;
    for (const auto& column : list) {
        const auto name = identifier(column.name);
        shown += fmt::format("{}l.{} AS {}", count++ == 0 ? "" : ", ", name, identifier(names.take(column.name)));
        same += column.in_key ? fmt::format("{}d.{} = l.{}", same.empty() ? "" : " AND ", name, name) : "";
    }
    for (const auto& column : detail) {
        if (!column.in_key && count++ < max_view_columns) {
            shown += fmt::format(", d.{} AS {}", identifier(column.name), identifier(names.take(column.name)));
        }
    }
    return fmt::format("CREATE VIEW {} AS SELECT {} FROM {} AS l LEFT JOIN {} AS d ON {}",
                       identifier(full_name(resource)), shown, identifier(resource), identifier(detail_name(resource)),
                       same);
}

}  // namespace

Result<void> align_full_view(storage::Database& database, const std::string& resource)
{
    SHELFD_TRY_ASSIGN(list, columns_of(database, resource));
    SHELFD_TRY_ASSIGN(detail, columns_of(database, detail_name(resource)));
    const auto wanted = definition(resource, list, detail);
    SHELFD_TRY_ASSIGN(there, read_value(database, "SELECT sql FROM sqlite_master WHERE type = 'view' AND name = ?",
                                        full_name(resource)));
    if (there && *there == wanted) {
        return {};
    }
    SHELFD_TRY(database.execute("DROP VIEW IF EXISTS " + identifier(full_name(resource))));
    return database.execute(wanted);
}

}  // namespace shelfd::mirror
