#include "ctl/comparison/compared_columns.hpp"

#include "base/text.hpp"
#include "ctl/comparison/column_uses.hpp"
#include "ctl/comparison/select_names.hpp"
#include "ctl/comparison/text_columns.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace shelfd::ctl {
namespace {

struct Column {
    std::string table;
    std::string name;
    std::string kind;
};

bool holds_numbers(const std::string& kind)
{
    return kind == "integer" || kind == "real" || kind == "boolean";
}

// The columns of the tables that the statement names.
Result<std::vector<Column>> read_columns(storage::Database& database, const std::vector<SqlToken>& tokens)
{
    std::set<std::string> names;
    for (const auto& token : tokens) {
        if (token.is_name()) {
            names.insert(token.text);
        }
    }
    const auto is_named = [&names](const std::string& table) {
        constexpr std::string_view detail = "_detail";
        const auto list = table.ends_with(detail) ? table.substr(0, table.size() - detail.size()) : table;
        return names.count(table) > 0 || names.count(list + "_full") > 0;
    };
    std::vector<Column> columns;
    SHELFD_TRY(storage::each_row(database, R"sql(SELECT resource, "column", kind FROM _columns)sql",
                                 [&](const storage::Statement& row) {
                                     if (const std::string table(row.text(0)); is_named(table)) {
                                         columns.push_back({table, std::string(row.text(1)), std::string(row.text(2))});
                                     }
                                 }));
    return columns;
}

// In small letters: all columns of all tables and views that the statement names, also those about the mirror.
Result<std::set<std::string>> read_column_names(storage::Database& database, const std::vector<SqlToken>& tokens)
{
    std::set<std::string> names;
    for (const auto& token : tokens) {
        if (token.is_name()) {
            names.insert(token.text);
        }
    }
    std::set<std::string> columns;
    SHELFD_TRY(storage::each_row(
        database,
        "SELECT m.name, p.name FROM sqlite_master m, pragma_table_info(m.name) p WHERE m.type IN ('table', 'view')",
        [&](const storage::Statement& row) {
            if (names.count(lower(row.text(0))) > 0) {
                columns.insert(lower(row.text(1)));
            }
        }));
    return columns;
}

// What a statement does with a column of text.
struct Use {
    std::string column;
    bool is_compared = false;
    bool is_compared_with_number = false;  // which SQLite takes for a comparison of numbers
    bool is_calculated = false;
};

class UseFinder {
public:
    UseFinder(const std::vector<Column>& columns, const std::vector<SqlToken>& tokens, const SelectNames& names)
        : tokens_(tokens), names_(names)
    {
        for (const auto& column : columns) {
            if (holds_numbers(column.kind)) {
                numbers_.insert(lower(column.name));
            }
        }
    }

    // `column` in small letters.
    Use find(const std::string& column) const
    {
        const std::function<bool(const std::string&)> is_number = [this](const std::string& other) {
            const auto alias = names_.aliases.find(other);
            return names_.casts.count(other) > 0 ||
                   numbers_.count(alias == names_.aliases.end() ? other : alias->second) > 0;
        };
        const std::function<bool(const std::string&)> none;
        const ColumnUses uses(tokens_, is_number);
        const ColumnUses text_uses(tokens_, none);
        Use use;
        use.is_compared = names_.sorted.count(column) > 0;
        for (const auto& name : words_for(column)) {
            use.is_compared = use.is_compared || !uses.comparisons(name).empty();
            use.is_compared_with_number = use.is_compared_with_number || !text_uses.comparisons(name).empty();
            use.is_calculated = use.is_calculated || !uses.calculations(name).empty();
        }
        return use;
    }

private:
    // Its name, unless that means something else, and those that the statement gives it.
    std::vector<std::string> words_for(const std::string& column) const
    {
        std::vector<std::string> words;
        if (names_.renamed.count(column) == 0) {
            words.push_back(column);
        }
        for (const auto& [alias, meant] : names_.aliases) {
            if (meant == column) {
                words.push_back(alias);
            }
        }
        return words;
    }

    const std::vector<SqlToken>& tokens_;
    const SelectNames& names_;
    std::set<std::string> numbers_;
};

// Of text columns whose name no other column of these tables has, unless that is text as well.
std::map<std::string, std::vector<Use>> uses_by_table(const std::vector<Column>& columns,
                                                      const std::vector<SqlToken>& tokens, const SelectNames& names)
{
    std::set<std::string> ambiguous;
    for (const auto& column : columns) {
        if (column.kind != "text") {
            ambiguous.insert(lower(column.name));
        }
    }
    const UseFinder finder(columns, tokens, names);
    std::map<std::string, std::vector<Use>> by_table;
    for (const auto& column : columns) {
        const auto name = lower(column.name);
        if (column.kind != "text" || ambiguous.count(name) > 0) {
            continue;
        }
        auto use = finder.find(name);
        use.column = column.name;
        if (use.is_compared || use.is_compared_with_number || use.is_calculated) {
            by_table[column.table].push_back(std::move(use));
        }
    }
    return by_table;
}

Result<std::vector<ComparedColumn>> find(storage::Database& database, const std::vector<SqlToken>& tokens)
{
    SHELFD_TRY_ASSIGN(columns, read_columns(database, tokens));
    SHELFD_TRY_ASSIGN(all, read_column_names(database, tokens));
    const auto given = read_select_names(tokens, [&all](const std::string& name) { return all.count(name) > 0; });
    std::vector<ComparedColumn> found;
    std::map<std::string, std::set<TextContents>> meanings;  // by name in small letters
    for (const auto& [table, uses] : uses_by_table(columns, tokens, given)) {
        std::vector<std::string> names;
        for (const auto& use : uses) {
            names.push_back(use.column);
        }
        SHELFD_TRY_ASSIGN(contents, find_text_columns(database, table, names));
        for (const auto& use : uses) {
            const auto one = contents.find(use.column);
            const auto meaning = one == contents.end() ? TextContents::other : one->second;
            const bool is_misread = !misread(meaning).empty();
            meanings[lower(use.column)].insert(meaning);
            found.push_back({table, use.column, meaning, use.is_compared || (is_misread && use.is_compared_with_number),
                             is_misread && use.is_calculated});
        }
    }
    // Of two columns of one name, the tokens do not show which is meant.
    std::erase_if(found, [&](const ComparedColumn& one) {
        return one.contents == TextContents::other || meanings[lower(one.column)].size() > 1 ||
               !(one.is_compared || one.is_calculated);
    });
    return found;
}

}  // namespace

std::vector<std::size_t> find_comparisons(const std::vector<SqlToken>& tokens, const std::string& column,
                                          const std::function<bool(const std::string&)>& is_number)
{
    const auto names = read_select_names(tokens, [](const std::string&) { return true; });
    return names.renamed.count(column) > 0 ? std::vector<std::size_t>()
                                           : ColumnUses(tokens, is_number).comparisons(column);
}

std::vector<ComparedColumn> find_compared_columns(storage::Database& database, const std::string& sql)
{
    auto found = find(database, split_sql(sql));
    return found ? std::move(*found) : std::vector<ComparedColumn>();
}

std::string comparison_note(const std::vector<ComparedColumn>& columns)
{
    std::string text;
    for (const auto& one : columns) {
        const auto cast = comparable(one.contents, sql_word(one.column));
        const auto order = fmt::format("which compares letter by letter, {}", wrong_order(one.contents));
        const auto number =
            fmt::format("which a calculation reads as far as its first mark, {}", misread(one.contents));
        text += fmt::format("{}{} of {} holds {} as text, {}{}{}{}", text.empty() ? "" : "; ", one.column, one.table,
                            to_string(one.contents), one.is_compared ? order : "",
                            one.is_compared && one.is_calculated ? ", and " : "", one.is_calculated ? number : "",
                            cast.empty() ? "" : ": write " + cast);
    }
    return text.empty() ? "" : "note: " + text + "; see shelfd-mirror(7), Numbers and dates";
}

}  // namespace shelfd::ctl
