#include "ctl/comparison/sql_tokens.hpp"

#include "base/text.hpp"
#include "base/words/digits.hpp"
#include "storage/sql_names.hpp"

#include <algorithm>
#include <array>

namespace shelfd::ctl {
namespace {

bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

constexpr std::array<std::string_view, 9> long_signs = {"->>", "<=", ">=", "==", "<>", "!=", "||", "->", "<<"};

class Splitter {
public:
    explicit Splitter(std::string_view sql) : rest_(sql) {}

    std::vector<SqlToken> split()
    {
        while (!rest_.empty()) {
            take();
        }
        return std::move(tokens_);
    }

private:
    using Kind = SqlToken::Kind;

    void take()
    {
        const char c = rest_.front();
        if (rest_.starts_with("--")) {
            rest_.remove_prefix(std::min(rest_.size(), rest_.find('\n')));
        } else if (rest_.starts_with("/*")) {
            const auto end = rest_.find("*/", 2);
            rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 2);
        } else if (std::string_view(" \t\r\n\f").find(c) != std::string_view::npos) {
            rest_.remove_prefix(1);
        } else if (c == '\'' || c == '"' || c == '`') {
            quoted(c);
        } else if (c == '[') {
            const auto end = std::min(rest_.find(']'), rest_.size() - 1);
            add(Kind::quoted, lower(rest_.substr(1, end - 1)), end + 1);
        } else if (is_letter(c)) {
            const auto size = while_true([](char one) { return is_letter(one) || is_digit(one) || one == '$'; });
            add(Kind::word, lower(rest_.substr(0, size)), size);
        } else if (is_digit(c) || (c == '.' && rest_.size() > 1 && is_digit(rest_[1]))) {
            const auto size = while_true([](char one) { return is_letter(one) || is_digit(one) || one == '.'; });
            add(Kind::number, std::string(rest_.substr(0, size)), size);
        } else {
            sign();
        }
    }

    template <typename Test>
    std::size_t while_true(Test test) const
    {
        return static_cast<std::size_t>(std::find_if_not(rest_.begin(), rest_.end(), test) - rest_.begin());
    }

    void quoted(char quote)
    {
        std::string text;
        std::size_t at = 1;
        while (at < rest_.size()) {
            if (rest_[at] == quote) {
                ++at;
                if (at == rest_.size() || rest_[at] != quote) {
                    break;  // not doubled: the closing one
                }
            }
            text += rest_[at++];
        }
        add(quote == '\'' ? Kind::text : Kind::quoted, quote == '\'' ? text : lower(text), at);
    }

    void sign()
    {
        for (const auto one : long_signs) {
            if (rest_.starts_with(one)) {
                add(Kind::sign, std::string(one), one.size());
                return;
            }
        }
        add(Kind::sign, std::string(1, rest_.front()), 1);
    }

    void add(Kind kind, std::string text, std::size_t size)
    {
        tokens_.push_back({kind, std::move(text)});
        rest_.remove_prefix(size);
    }

    std::string_view rest_;
    std::vector<SqlToken> tokens_;
};

// Words that SQLite does not accept as a bare name of a column.
constexpr std::array<std::string_view, 62> reserved = {
    "add",     "all",     "alter",      "and",    "as",      "autoincrement", "between", "case",       "check",
    "collate", "commit",  "constraint", "create", "default", "deferrable",    "delete",  "distinct",   "drop",
    "else",    "escape",  "except",     "exists", "foreign", "from",          "group",   "having",     "in",
    "index",   "insert",  "intersect",  "into",   "is",      "isnull",        "join",    "limit",      "not",
    "nothing", "notnull", "null",       "on",     "or",      "order",         "primary", "references", "returning",
    "select",  "set",     "table",      "then",   "to",      "transaction",   "union",   "unique",     "update",
    "using",   "values",  "when",       "where",  "left",    "right",         "cross",   "natural"};

}  // namespace

std::string sql_word(std::string_view name)
{
    const bool is_bare = !name.empty() && !is_digit(name.front()) && std::all_of(name.begin(), name.end(), [](char c) {
        return (is_letter(c) || is_digit(c)) && c == lower(c) && static_cast<unsigned char>(c) < 0x80;
    }) && std::find(reserved.begin(), reserved.end(), name) == reserved.end();
    return is_bare ? std::string(name) : storage::identifier(name);
}

std::vector<SqlToken> split_sql(std::string_view sql)
{
    return Splitter(sql).split();
}

}  // namespace shelfd::ctl
