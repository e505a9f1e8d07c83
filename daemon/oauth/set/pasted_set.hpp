// A token set as a person gives it: the token response in JSON, or lines of name=value.
#pragma once

#include "base/result.hpp"
#include "oauth/set/token_answer.hpp"

#include <string_view>

namespace shelfd::oauth {

// The set as it was given; nothing of it has been tried.
struct ImportedSet {
    Secret access;
    Secret refresh;                    // "" = none was given
    std::optional<Duration> lifetime;  // from when it was issued, which nobody knows
    std::string scope;
    std::string token_type;

    ImportedSet clone() const;
};

inline constexpr std::size_t max_paste = 64u << 10;  // bytes

// Reads what was pasted or piped in. An error is of kind usage and says what is wrong and what would be right; it never
// quotes what was pasted.
Result<ImportedSet> parse_paste(std::string_view text);

}  // namespace shelfd::oauth
