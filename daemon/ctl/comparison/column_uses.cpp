#include "ctl/comparison/column_uses.hpp"

#include <algorithm>
#include <array>

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

// A parenthesis behind one of these groups, and calls no function.
bool is_keyword(const SqlToken& token)
{
    constexpr std::array<std::string_view, 13> words = {"where", "and",  "or", "not", "on",      "having",  "when",
                                                        "then",  "else", "by", "in",  "between", "distinct"};
    return is_one_of(token, SqlToken::Kind::word, words);
}

bool is_arithmetic(const SqlToken& token)
{
    constexpr std::array<std::string_view, 5> signs = {"+", "-", "*", "/", "%"};
    return is_one_of(token, SqlToken::Kind::sign, signs);
}

// Functions that take a text for a number.
bool is_calculation(const SqlToken& token)
{
    constexpr std::array<std::string_view, 5> functions = {"sum", "avg", "total", "abs", "round"};
    return is_one_of(token, SqlToken::Kind::word, functions);
}

// Of a CAST (datatype3.html, section 3.1).
bool is_type_of_numbers(const SqlToken& token)
{
    constexpr std::array<std::string_view, 7> types = {"int", "real", "floa", "doub", "num", "dec", "bool"};
    return token.is_name() && std::any_of(types.begin(), types.end(), [&](std::string_view type) {
               return token.text.find(type) != std::string::npos;
           });
}

}  // namespace

std::vector<std::size_t> ColumnUses::comparisons(const std::string& name) const
{
    return places(name, &ColumnUses::is_compared);
}

std::vector<std::size_t> ColumnUses::calculations(const std::string& name) const
{
    return places(name, &ColumnUses::is_calculated);
}

std::vector<std::size_t> ColumnUses::places(const std::string& name,
                                            bool (ColumnUses::*is_used)(std::size_t) const) const
{
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        if (tokens_[i].is_name() && tokens_[i].text == name && (this->*is_used)(i)) {
            places.push_back(i);
        }
    }
    return places;
}

const SqlToken& ColumnUses::at(std::size_t i) const
{
    static const SqlToken outside;
    return i < tokens_.size() ? tokens_[i] : outside;
}

// Not that of a table or a function.
bool ColumnUses::is_name_of_column(std::size_t at) const
{
    return !after(at).is_sign(".") && !(after(at).is_sign("(") && tokens_[at].kind == SqlToken::Kind::word);
}

ColumnUses::Operand ColumnUses::operand_at(std::size_t at) const
{
    Operand operand{at, at};
    while (before(operand.first).is_sign(".") && operand.first >= 2) {
        operand.first -= 2;
    }
    while (before(operand.first).is_sign("(") && after(operand.last).is_sign(")")) {
        if (const auto& function = before(operand.first - 1); function.is_name() && !is_keyword(function)) {
            break;
        }
        --operand.first;
        ++operand.last;
    }
    return operand;
}

bool ColumnUses::is_compared(std::size_t at) const
{
    if (!is_name_of_column(at)) {
        return false;
    }
    const auto [first, last] = operand_at(at);
    if (before(first).is_sign("(") && after(last).is_sign(")")) {  // the only argument of a function
        return before(first - 1).is_word("max") || before(first - 1).is_word("min");
    }
    return is_sort_key(first, last) || is_left(first, last) || is_right(first, last) || is_argument(first, last);
}

bool ColumnUses::is_calculated(std::size_t at) const
{
    if (!is_name_of_column(at)) {
        return false;
    }
    const auto [first, last] = operand_at(at);
    if (is_arithmetic(before(first)) || is_arithmetic(after(last))) {
        return true;
    }
    const auto opens = first - (before(first).is_word("distinct") || before(first).is_word("all") ? 2 : 1);
    if (!this->at(opens).is_sign("(")) {
        return false;
    }
    if (before(opens).is_word("cast")) {
        return after(last).is_word("as") && is_type_of_numbers(this->at(last + 2));
    }
    return is_calculation(before(opens)) && (after(last).is_sign(")") || after(last).is_sign(","));
}

// Starts with a CAST, or is a column that holds numbers.
bool ColumnUses::begins_number(std::size_t i) const
{
    if (!is_number_) {
        return false;
    }
    while (after(i).is_sign(".")) {
        i += 2;
    }
    const auto& token = at(i);
    return token.is_word("cast") || (token.is_name() && !after(i).is_sign("(") && is_number_(token.text));
}

bool ColumnUses::ends_number(std::size_t i) const
{
    if (!is_number_) {
        return false;
    }
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

bool ColumnUses::is_literal_number(std::size_t i) const
{
    return at(i).kind == SqlToken::Kind::number || (at(i).is_sign("-") && after(i).kind == SqlToken::Kind::number);
}

// The column is what stands on the left of a comparison.
bool ColumnUses::is_left(std::size_t first, std::size_t last) const
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

bool ColumnUses::is_right(std::size_t first, std::size_t last) const
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
bool ColumnUses::is_argument(std::size_t first, std::size_t last) const
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

bool ColumnUses::is_sort_key(std::size_t first, std::size_t last) const
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

}  // namespace shelfd::ctl
