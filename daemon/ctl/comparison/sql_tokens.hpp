// Splits SQL into tokens, as far as finding comparisons needs it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shelfd::ctl {

struct SqlToken {
    enum class Kind {
        word,    // a keyword or a bare identifier
        quoted,  // an identifier in quotes of any kind
        number,
        text,  // in single quotes
        sign,  // an operator or a punctuation mark: "<=", "("
        end,   // stands for every place outside of the statement
    };
    Kind kind = Kind::end;
    std::string text;  // words in small letters, identifiers without quotes

    bool is_sign(std::string_view sign) const { return kind == Kind::sign && text == sign; }
    bool is_word(std::string_view word) const { return kind == Kind::word && text == word; }
    bool is_name() const { return kind == Kind::word || kind == Kind::quoted; }
};

// Without comments. Never fails: what it does not know is a sign of one byte.
std::vector<SqlToken> split_sql(std::string_view sql);

// The name of a column as a person writes it: in quotes only if it must be.
std::string sql_word(std::string_view name);

}  // namespace shelfd::ctl
