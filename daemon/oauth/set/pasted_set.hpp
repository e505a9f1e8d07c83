// Parses a token set that a person provides: a token response in JSON, or lines of name=value.
#pragma once

#include "base/result.hpp"
#include "oauth/set/token_answer.hpp"

#include <string_view>

namespace shelfd::oauth {

// The set as provided; no token has been tried.
struct ImportedSet {
    Secret access;
    Secret refresh;                    // "" = none
    std::optional<Duration> lifetime;  // counted from the time of issue, which is unknown
    std::string scope;
    std::string token_type;

    ImportedSet clone() const;
};

inline constexpr std::size_t max_paste = 64u << 10;  // bytes

// Parses pasted or piped text. An error is of kind usage, says what is wrong and what is expected, and never quotes the
// text.
Result<ImportedSet> parse_paste(std::string_view text);

}  // namespace shelfd::oauth
