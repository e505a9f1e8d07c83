#include "ctl/comparison/compared_columns.hpp"

#include "base/text.hpp"
#include "ctl/comparison/select_names.hpp"
#include "ctl/comparison/text_columns.hpp"
#include "storage/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace shelfd::ctl {
namespace {

template <typename Words>
bool is_one_of(const SqlToken& token, SqlToken::Kind kind, const Words& words)
{
    return token.kind == kind && std::find(words.begin(), words.end(), token.text) != words.end();
}

bool is_order_sign(const SqlToken& token)
{
    constexpr std::array<std::string_view, 4> signs = {"<", "<=", ">", ">="};
    return is_one_of(token, SqlToken::Kind::sign, signs);
}

bool is_equality(const SqlToken& token)
{
    constexpr std::array<std::string_view, 4> signs = {"=", "==", "<>", "!="};
    return is_one_of(token, SqlToken::Kind::sign, signs) || token.is_word("is");
}

// After one of these, the column is part of a larger operand, whose value is a number or another text.
bool is_part_of_operand(const SqlToken& token)
{
    constexpr std::array<std::string_view, 8> signs = {"+", "-", "*", "/", "%", "||", "->", "->>"};
    return is_one_of(token, SqlToken::Kind::sign, signs);
}

bool ends_sort_key(const SqlToken& token)
{
    constexpr std::array<std::string_view, 8> words = {"asc",    "desc", "nulls", "limit",
                                                       "offset", "rows", "range", "groups"};
    return token.kind == SqlToken::Kind::end || token.is_sign(",") || token.is_sign(")") || token.is_sign(";") ||
           is_one_of(token, SqlToken::Kind::word, words);
}

class Reader {
public:
    Reader(const std::vector<SqlToken>& tokens, const std::function<bool(const std::string&)>& is_number)
        : tokens_(tokens), is_number_(is_number)
    {
    }

    bool is_compared(std::size_t at) const
    {
        auto first = at;
        while (before(first).is_sign(".") && first >= 2) {
            first -= 2;  // the table's name
        }
        auto last = at;
        if (after(last).is_sign(".") || (after(last).is_sign("(") && tokens_[at].kind == SqlToken::Kind::word)) {
            return false;  // the name of a table or a function
        }
        while (before(first).is_sign("(") && after(last).is_sign(")")) {
            if (const auto& function = before(first - 1); function.is_word("max") || function.is_word("min")) {
                return true;
            } else if (function.is_name() && !is_keyword(function)) {
                return false;
            }
            --first;
            ++last;
        }
        return is_sort_key(first, last) || is_left(first, last) || is_right(first, last) || is_argument(first, last);
    }

    // Where the name stands for something that is compared.
    std::vector<std::size_t> places_of(const std::string& name) const
    {
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (tokens_[i].is_name() && tokens_[i].text == name && is_compared(i)) {
                places.push_back(i);
            }
        }
        return places;
    }

private:
    const SqlToken& at(std::size_t i) const
    {
        static const SqlToken outside;
        return i < tokens_.size() ? tokens_[i] : outside;
    }
    const SqlToken& before(std::size_t i) const { return at(i - 1); }  // wraps around to "outside" before the first
    const SqlToken& after(std::size_t i) const { return at(i + 1); }

    // A parenthesis behind one of these groups, and calls no function.
    static bool is_keyword(const SqlToken& token)
    {
        constexpr std::array<std::string_view, 12> words = {"where", "and",  "or",   "not", "on", "having",
                                                            "when",  "then", "else", "by",  "in", "between"};
        return is_one_of(token, SqlToken::Kind::word, words);
    }

    // Starts with a CAST, or is a column that holds numbers.
    bool begins_number(std::size_t i) const
    {
        while (after(i).is_sign(".")) {
            i += 2;
        }
        const auto& token = at(i);
        return token.is_word("cast") || (token.is_name() && !after(i).is_sign("(") && is_number_(token.text));
    }

    bool ends_number(std::size_t i) const
    {
        const auto& token = at(i);
        if (!token.is_sign(")")) {
            return token.is_name() && is_number_(token.text);
        }
        for (int depth = 0; i < tokens_.size(); --i) {
            depth += at(i).is_sign(")") ? 1 : at(i).is_sign("(") ? -1 : 0;
            if (depth == 0) {
                return before(i).is_word("cast");
            }
        }
        return false;
    }

    bool is_literal_number(std::size_t i) const
    {
        return at(i).kind == SqlToken::Kind::number || (at(i).is_sign("-") && after(i).kind == SqlToken::Kind::number);
    }

    // The column is what stands on the left of a comparison.
    bool is_left(std::size_t first, std::size_t last) const
    {
        if (is_part_of_operand(before(first))) {
            return false;
        }
        auto sign = last + 1;
        sign += at(sign).is_word("not") ? 1 : 0;
        if (is_order_sign(at(sign)) || at(sign).is_word("between")) {
            return !begins_number(sign + 1);
        }
        if (at(sign).is_word("in") && after(sign).is_sign("(")) {
            return is_literal_number(sign + 2);
        }
        return is_equality(at(sign)) && is_literal_number(sign + 1);
    }

    bool is_right(std::size_t first, std::size_t last) const
    {
        if (is_part_of_operand(after(last))) {
            return false;
        }
        if (is_order_sign(before(first))) {
            return !ends_number(first - 2);
        }
        return is_equality(before(first)) && before(first - 1).kind == SqlToken::Kind::number;
    }

    // One of several of which max or min takes the greatest or least: SQLite compares them as they are.
    bool is_argument(std::size_t first, std::size_t last) const
    {
        const bool begins = before(first).is_sign("(") || before(first).is_sign(",");
        const bool ends = after(last).is_sign(")") || after(last).is_sign(",");
        int depth = 0;
        for (auto i = first - 1; begins && ends && i < tokens_.size(); --i) {
            depth += at(i).is_sign(")") ? 1 : at(i).is_sign("(") ? -1 : 0;
            if (depth < 0) {
                return before(i).is_word("max") || before(i).is_word("min");
            }
        }
        return false;
    }

    bool is_sort_key(std::size_t first, std::size_t last) const
    {
        if (!ends_sort_key(after(last)) || !(before(first).is_sign(",") || before(first).is_word("by"))) {
            return false;
        }
        int depth = 0;
        for (auto i = first - 1; i < tokens_.size(); --i) {
            depth += at(i).is_sign(")") ? 1 : at(i).is_sign("(") ? -1 : 0;
            if (depth < 0) {
                return false;
            }
            if (depth == 0 && at(i).is_word("by")) {
                return before(i).is_word("order");
            }
        }
        return false;
    }

    const std::vector<SqlToken>& tokens_;
    const std::function<bool(const std::string&)>& is_number_;
};

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

// Text columns whose name no other column of these tables has, unless that is text as well.
std::map<std::string, std::vector<std::string>>
candidates(const std::vector<Column>& columns, const std::vector<SqlToken>& tokens, const SelectNames& names)
{
    std::set<std::string> numbers;
    std::set<std::string> ambiguous;
    for (const auto& column : columns) {
        const auto name = lower(column.name);
        if (column.kind != "text") {
            ambiguous.insert(name);
        }
        if (holds_numbers(column.kind)) {
            numbers.insert(name);
        }
    }
    const auto is_number = [&](const std::string& other) {
        const auto alias = names.aliases.find(other);
        return names.casts.count(other) > 0 || numbers.count(alias == names.aliases.end() ? other : alias->second) > 0;
    };
    const auto is_compared = [&](const std::string& name) {
        const Reader reader(tokens, is_number);
        return names.sorted.count(name) > 0 || (names.renamed.count(name) == 0 && !reader.places_of(name).empty()) ||
               std::any_of(names.aliases.begin(), names.aliases.end(), [&](const auto& alias) {
                   return alias.second == name && !reader.places_of(alias.first).empty();
               });
    };
    std::map<std::string, std::vector<std::string>> by_table;
    for (const auto& column : columns) {
        const auto name = lower(column.name);
        if (column.kind == "text" && ambiguous.count(name) == 0 && is_compared(name)) {
            by_table[column.table].push_back(column.name);
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
    for (const auto& [table, names] : candidates(columns, tokens, given)) {
        SHELFD_TRY_ASSIGN(contents, find_text_columns(database, table, names));
        for (const auto& name : names) {
            const auto one = contents.find(name);
            const auto meaning = one == contents.end() ? TextContents::other : one->second;
            meanings[lower(name)].insert(meaning);
            found.push_back({table, name, meaning});
        }
    }
    // Of two columns of one name, the tokens do not show which is meant.
    std::erase_if(found, [&](const ComparedColumn& one) {
        return one.contents == TextContents::other || meanings[lower(one.column)].size() > 1;
    });
    return found;
}

}  // namespace

std::vector<std::size_t> find_comparisons(const std::vector<SqlToken>& tokens, const std::string& column,
                                          const std::function<bool(const std::string&)>& is_number)
{
    const auto names = read_select_names(tokens, [](const std::string&) { return true; });
    return names.renamed.count(column) > 0 ? std::vector<std::size_t>() : Reader(tokens, is_number).places_of(column);
}

std::vector<ComparedColumn> find_compared_columns(storage::Database& database, const std::string& sql)
{
    auto found = find(database, split_sql(sql));
    return found ? std::move(*found) : std::vector<ComparedColumn>();
}

std::string comparison_note(const std::vector<ComparedColumn>& columns)
{
    std::string text;
    for (const auto& [table, column, contents] : columns) {
        const auto cast = comparable(contents, sql_word(column));
        text += fmt::format("{}{} of {} holds {} as text, which compares letter by letter, {}{}",
                            text.empty() ? "" : "; ", column, table, to_string(contents), wrong_order(contents),
                            cast.empty() ? "" : ": write " + cast);
    }
    return text.empty() ? "" : "note: " + text + "; see shelfd-mirror(7), Numbers and dates";
}

}  // namespace shelfd::ctl
